package link

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"pooler-lab/internal/wan"
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

// Each direction of a link has the lab's own toxic, wan, with the name that toxiproxy itself would give it. It is there
// from toxiproxy's start (cmd/toxiproxy) and is only changed, so that connections feel each change and go on.
const (
	wanUpstream   = "wan_upstream"
	wanDownstream = "wan_downstream"
)

// toxics returns the settings as toxiproxy's toxics. Half of the latency is on each direction. All jitter is on the way
// back, and more of the latency where the jitter is more than half of it: nothing can arrive before it was sent.
func (s Settings) toxics() []Toxic {
	all, jitter := microseconds(s.LatencyMS), microseconds(s.JitterMS)
	down := max(all-all/2, jitter)
	return []Toxic{wanToxic(wanUpstream, "upstream", all-down, 0, s.UpKBps),
		wanToxic(wanDownstream, "downstream", down, jitter, s.DownKBps)}
}

// wanToxic is a wan with all its attributes, as toxiproxy tells them. Times are in microseconds.
func wanToxic(name, stream string, latency, jitter, kbps int) Toxic {
	return toxic(name, wan.Type, stream, map[string]any{"latency_us": float64(latency), "jitter_us": float64(jitter),
		"jitter_spread": string(wan.Even), "rate": float64(kbps)})
}

func microseconds(ms float64) int { return int(math.Round(1000 * ms)) }

func toxic(name, kind, stream string, attributes map[string]any) Toxic {
	return Toxic{Name: name, Type: kind, Stream: stream, Toxicity: 1, Attributes: attributes}
}

// Settings returns what a link's toxics amount to. Latencies and jitters add up; of several limits the lowest holds.
func (p Proxy) Settings() Settings {
	var s Settings
	latency, jitter := 0, 0 // in microseconds
	for _, t := range p.Toxics {
		limit := &s.DownKBps
		if t.Stream == "upstream" {
			limit = &s.UpKBps
		}
		switch t.Type {
		case wan.Type:
			latency, jitter = latency+t.number("latency_us"), jitter+t.number("jitter_us")
			if rate := t.number("rate"); rate > 0 && (*limit == 0 || rate < *limit) {
				*limit = rate
			}
		case "latency":
			latency, jitter = latency+1000*t.number("latency"), jitter+1000*t.number("jitter")
		case "bandwidth":
			if rate := t.number("rate"); *limit == 0 || rate < *limit {
				*limit = rate
			}
		}
	}
	s.LatencyMS, s.JitterMS = float64(latency)/1000, float64(jitter)/1000
	return s
}

// Handshake is what the link takes for TCP's handshake with a new client: a round trip. Stock toxics add nothing to it.
func (p Proxy) Handshake() (takes time.Duration) {
	for _, t := range p.Toxics {
		if t.Type == wan.Type {
			takes += time.Duration(t.number("latency_us")) * time.Microsecond
		}
	}
	return takes
}

// Others returns the names of faults that the lab's commands never set: other toxics, those that hit only some of the
// connections, and stock ones without an amount. A bandwidth of 0 KB/s lets nothing pass.
func (p Proxy) Others() []string {
	var names []string
	for _, t := range p.Toxics {
		switch {
		case t.Attributes["jitter_spread"] == string(wan.Normal):
			names = append(names, "normal jitter")
		case t.Type != "latency" && t.Type != "bandwidth" && t.Type != wan.Type:
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

// Bare reports whether nothing is set on the link, and it isn't cut.
func (p Proxy) Bare() bool {
	return p.Enabled && p.Settings() == (Settings{}) && len(p.Others()) == 0
}

// difference says in words what became of the link until it was after, "" if nothing did.
func (p Proxy) difference(after Proxy) string {
	was, is := p.Describe(), after.Describe()
	switch {
	case p.Listen != after.Listen || p.Upstream != after.Upstream:
		return fmt.Sprintf("from %s to %s → from %s to %s", p.Listen, p.Upstream, after.Listen, after.Upstream)
	case was != is:
		return was + " → " + is
	case !p.Bare() && !reflect.DeepEqual(p.Toxics, after.Toxics):
		return is + " by other toxics"
	}
	return ""
}
