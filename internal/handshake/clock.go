package handshake

import (
	"encoding/binary"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// A Clock times the client's own hashing in one connect: from the moment when the server's challenge (SASLContinue)
// has arrived until the client hands its answer (SASLResponse) to the network or to TLS. That is PBKDF2 over as many
// rounds as the server asks for (4096 unless scram_iterations says otherwise), the messages' reading and writing, and
// whatever the client waits for a CPU meanwhile. The check of the server's proof comes later, takes microseconds and
// isn't in it.
type Clock struct {
	head     []byte    // of what has arrived since the client sent the last message
	received time.Time // the end of it
	hashed   time.Duration
	stopped  bool
}

// Watch has config's next connect timed. Config is to be of that connect alone.
func (c *Clock) Watch(config *pgconn.Config) {
	build := config.BuildFrontend
	config.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		*c = Clock{} // of the attempt that comes last: a connect may try several hosts
		return build(&reader{r, c}, &writer{w, c})
	}
}

// Hashed is how long the client hashed; 0 where the login asked for none.
func (c *Clock) Hashed() time.Duration { return c.hashed }

// Stop ends the timing: what follows is no login.
func (c *Clock) Stop() { c.stopped = true }

// challengeHead is how SASLContinue begins: its type, its length and its kind.
const challengeHead = 1 + 4 + 4

// gets notes what has arrived.
func (c *Clock) gets(message []byte) {
	c.received = time.Now()
	c.head = append(c.head, message[:min(len(message), challengeHead-len(c.head))]...)
}

// sends notes that the client sends something.
func (c *Clock) sends() {
	if challenged(c.head) {
		c.hashed = time.Since(c.received)
	}
	c.head = c.head[:0]
}

// challenged says whether a message that begins so is SASLContinue.
func challenged(head []byte) bool {
	return len(head) == challengeHead && head[0] == 'R' &&
		binary.BigEndian.Uint32(head[5:]) == pgproto3.AuthTypeSASLContinue
}

// reader is a session's incoming side.
type reader struct {
	io.Reader
	clock *Clock
}

// Read notes what it reads.
func (r *reader) Read(buf []byte) (int, error) {
	n, err := r.Reader.Read(buf)
	if n > 0 && !r.clock.stopped {
		r.clock.gets(buf[:n])
	}
	return n, err
}

// writer is a session's outgoing side.
type writer struct {
	io.Writer
	clock *Clock
}

// Write notes that it writes.
func (w *writer) Write(buf []byte) (int, error) {
	if !w.clock.stopped {
		w.clock.sends()
	}
	return w.Writer.Write(buf)
}
