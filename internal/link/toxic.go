package link

import (
	"fmt"
	"reflect"
	"strings"
)

// Proxy is a link as toxiproxy knows it.
type Proxy struct {
	Name     string  `json:"name"`
	Listen   string  `json:"listen"`
	Upstream string  `json:"upstream"`
	Enabled  bool    `json:"enabled"` // false: the link is cut
	Toxics   []Toxic `json:"toxics"`  // each stream's in the order in which they act
}

// Toxic is one fault on one direction of a link.
type Toxic struct {
	Name       string         `json:"name"`
	Type       string         `json:"type"`
	Stream     string         `json:"stream"` // upstream or downstream
	Toxicity   float64        `json:"toxicity"`
	Attributes map[string]any `json:"attributes"`
}

// The names that toxiproxy itself gives to toxics without one, so that toxiproxy-cli and the lab mean the same.
const (
	latencyDownstream   = "latency_downstream"
	bandwidthDownstream = "bandwidth_downstream"
	bandwidthUpstream   = "bandwidth_upstream"
)

// toxics returns the settings as toxiproxy's toxics, in the order in which they must stand.
//
// Latency acts on one direction only: the round trip is what counts, and a delay split in two halves would lose
// half a millisecond of every odd one. Bandwidth stands before it, for a latency toxic takes in 32 MB of a
// connection before it holds the sender back: behind it a limit would be felt by the receiver alone.
func (s Settings) toxics() []Toxic {
	var toxics []Toxic
	if s.UpKBps > 0 {
		toxics = append(toxics, toxic(bandwidthUpstream, "bandwidth", "upstream", map[string]any{"rate": float64(s.UpKBps)}))
	}
	if s.DownKBps > 0 {
		toxics = append(toxics,
			toxic(bandwidthDownstream, "bandwidth", "downstream", map[string]any{"rate": float64(s.DownKBps)}))
	}
	if s.LatencyMS > 0 || s.JitterMS > 0 {
		toxics = append(toxics, toxic(latencyDownstream, "latency", "downstream",
			map[string]any{"latency": float64(s.LatencyMS), "jitter": float64(s.JitterMS)}))
	}
	return toxics
}

func toxic(name, kind, stream string, attributes map[string]any) Toxic {
	return Toxic{Name: name, Type: kind, Stream: stream, Toxicity: 1, Attributes: attributes}
}

// Settings returns what a link's toxics amount to. Latencies and jitters add up; of several limits the lowest holds.
func (p Proxy) Settings() Settings {
	var s Settings
	for _, t := range p.Toxics {
		switch t.Type {
		case "latency":
			s.LatencyMS += t.number("latency")
			s.JitterMS += t.number("jitter")
		case "bandwidth":
			limit := &s.DownKBps
			if t.Stream == "upstream" {
				limit = &s.UpKBps
			}
			if rate := t.number("rate"); *limit == 0 || rate < *limit {
				*limit = rate
			}
		}
	}
	return s
}

// Others returns the names of faults that the lab's commands never set: other toxics, those that hit only some of the
// connections, and those without an amount. A bandwidth of 0 KB/s lets nothing pass.
func (p Proxy) Others() []string {
	var names []string
	for _, t := range p.Toxics {
		switch {
		case t.Type != "latency" && t.Type != "bandwidth":
			names = append(names, t.Name)
		case t.Type == "bandwidth" && t.number("rate") <= 0:
			names = append(names, fmt.Sprintf("%s of %d KB/s", t.Name, t.number("rate")))
		case t.Type == "latency" && t.number("latency") <= 0 && t.number("jitter") <= 0:
			names = append(names, fmt.Sprintf("%s of %d ms", t.Name, t.number("latency")))
		case t.Toxicity != 1:
			names = append(names, fmt.Sprintf("%s on %.0f %% of connections", t.Name, 100*t.Toxicity))
		}
	}
	return names
}

func (t Toxic) number(attribute string) int {
	value, _ := t.Attributes[attribute].(float64)
	return int(value)
}

// Describe says what the link is, for people: whether it is cut, its settings, and faults of other kinds. Such as
// "10 ms ±2, 1000 KB/s", "cut, 10 ms", or "0 ms".
func (p Proxy) Describe() string {
	var parts []string
	if !p.Enabled {
		parts = append(parts, "cut")
	}
	if s := p.Settings(); s != (Settings{}) || p.Bare() {
		parts = append(parts, s.Describe())
	}
	text, others := strings.Join(parts, ", "), strings.Join(p.Others(), ", ")
	if text != "" && others != "" {
		text += " and "
	}
	return text + others
}

// Bare reports whether nothing is on the link, and it isn't cut.
func (p Proxy) Bare() bool { return p.Enabled && len(p.Toxics) == 0 }

// difference says in words what became of the link until it was after, "" if nothing did.
func (p Proxy) difference(after Proxy) string {
	was, is := p.Describe(), after.Describe()
	switch {
	case p.Listen != after.Listen || p.Upstream != after.Upstream:
		return fmt.Sprintf("from %s to %s → from %s to %s", p.Listen, p.Upstream, after.Listen, after.Upstream)
	case was != is:
		return was + " → " + is
	case len(p.Toxics) != len(after.Toxics) || len(p.Toxics) > 0 && !reflect.DeepEqual(p.Toxics, after.Toxics):
		return is + " by other toxics"
	}
	return ""
}
