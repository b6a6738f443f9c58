package pg

import (
	"net"
	"sync/atomic"
)

// wire is a network connection that counts what travels over it, TLS included.
// A round trip is something sent and then something received, however much
// either was: what latency is paid for.
type wire struct {
	net.Conn
	sent, received, trips atomic.Int64
	asked                 atomic.Bool // sent since the last receipt
}

// Read counts what it receives, and the round trip that the receipt ends.
func (w *wire) Read(buf []byte) (int, error) {
	n, err := w.Conn.Read(buf)
	if n > 0 {
		w.received.Add(int64(n))
		if w.asked.Load() {
			w.asked.Store(false)
			w.trips.Add(1)
		}
	}
	return n, err
}

// Write counts what it sends.
func (w *wire) Write(buf []byte) (int, error) {
	w.asked.Store(true)
	n, err := w.Conn.Write(buf)
	w.sent.Add(int64(n))
	return n, err
}

// oneTrip has all that came after an earlier count be one round trip at most.
func (w *wire) oneTrip(since traffic) {
	w.trips.Store(min(w.trips.Load(), since.trips+1))
}

// traffic is what a wire has counted.
type traffic struct {
	sent, received, trips int64
}

// total returns the wire's counts since it was dialled.
func (w *wire) total() traffic {
	return traffic{w.sent.Load(), w.received.Load(), w.trips.Load()}
}
