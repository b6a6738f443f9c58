package lesson

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxLatencyMS is the longest round trip that a link can add.
const maxLatencyMS = 60000

// A Latency is the round trip, in whole milliseconds, that a cell asks of its link.
// Without one the cell's path has no toxiproxy in it at all.
type Latency struct {
	ms      int
	through bool
}

// WithoutProxy is the latency of a cell whose path has no toxiproxy in it.
var WithoutProxy = Latency{}

// Through is a round trip of ms added by toxiproxy; 0 goes through it and adds nothing but the hop.
func Through(ms int) Latency { return Latency{ms: ms, through: true} }

// Proxied says whether the cell's link goes through toxiproxy.
func (l Latency) Proxied() bool { return l.through }

// MS is the round trip that is set, in milliseconds, 0 without the proxy.
func (l Latency) MS() int { return l.ms }

// String is the latency as an id and a command line have it: none, 0ms, 10ms.
func (l Latency) String() string {
	if !l.through {
		return "none"
	}
	return strconv.Itoa(l.ms) + "ms"
}

// ParseLatency reads a latency off the command line: none, 10 or 10ms.
func ParseLatency(s string) (Latency, error) {
	if s == "none" {
		return WithoutProxy, nil
	}
	ms, err := strconv.Atoi(strings.TrimSuffix(s, "ms"))
	if err != nil || ms < 0 || ms > maxLatencyMS {
		return Latency{}, fmt.Errorf("latency %q is not one: write none (no proxy in the way) or a round trip "+
			"in whole milliseconds from 0 to %d, such as 10ms", s, maxLatencyMS)
	}
	return Through(ms), nil
}

// MarshalJSON writes null without the proxy and the milliseconds through it.
func (l Latency) MarshalJSON() ([]byte, error) {
	if !l.through {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(l.ms), 10), nil
}

// UnmarshalJSON reads null or whole milliseconds.
func (l *Latency) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		*l = WithoutProxy
		return nil
	}
	return l.parse(string(b))
}

// UnmarshalYAML reads none or whole milliseconds.
func (l *Latency) UnmarshalYAML(node *yaml.Node) error { return l.parse(node.Value) }

func (l *Latency) parse(s string) (err error) {
	*l, err = ParseLatency(s)
	return err
}

// Words is one word or a list of them: plans write "workload: select" where there is only one.
type Words []string

// UnmarshalYAML reads a word or a list of words.
func (w *Words) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*w = Words{node.Value}
		return nil
	}
	return node.Decode((*[]string)(w))
}
