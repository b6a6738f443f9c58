package tool

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// connectTable writes a line for each connect as soon as it is measured.
type connectTable struct {
	out     io.Writer
	width   int // of the paths' names
	withTLS bool
}

func (t connectTable) header() {
	t.line("path", "", t.cells("dial", "TLS", "auth", "hash", "connect", "first query"))
}

// row shows one connect; only a path's first row repeats its name.
func (t connectTable) row(path string, number int, p Phases) {
	name := path
	if number > 1 {
		name = ""
	}
	handshake := "-" // a Unix socket has none
	if p.TLS > 0 {
		handshake = micros(p.TLS)
	}
	hash := "-" // nobody asked for SCRAM
	if p.Hash > 0 {
		hash = micros(p.Hash)
	}
	t.line(name, fmt.Sprint(number),
		t.cells(micros(p.Dial), handshake, micros(p.Auth), hash, micros(p.Connect()), micros(p.FirstQuery)))
}

func (t connectTable) failure(path string, number int, err error) {
	t.line(path, fmt.Sprint(number), "  "+strings.ReplaceAll(err.Error(), "\n", " "))
}

func (t connectTable) line(path, number, rest string) {
	fmt.Fprintf(t.out, "%-*s  %2s%s\n", t.width, path, number, rest)
}

func (t connectTable) cells(dial, handshake, auth, hash, connect, query string) string {
	if !t.withTLS {
		return fmt.Sprintf("%9s%9s%9s%9s%13s", dial, auth, hash, connect, query)
	}
	return fmt.Sprintf("%9s%9s%9s%9s%9s%13s", dial, handshake, auth, hash, connect, query)
}

func micros(d time.Duration) string { return fmt.Sprint(d.Round(time.Microsecond).Microseconds()) }
