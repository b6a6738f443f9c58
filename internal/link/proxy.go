package link

import (
	"fmt"
	"strings"
)

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

// foreign returns the names of toxics that the lab's commands never set: other faults, those that hit only some of the
// connections, and those without an amount. A bandwidth of 0 KB/s lets nothing pass.
func (p Proxy) foreign() []string {
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

// String returns the settings as people read them: "10 ms ±2, 1000 KB/s", or "-" if they add nothing.
func (s Settings) String() string {
	var parts []string
	if s.LatencyMS > 0 || s.JitterMS > 0 {
		latency := fmt.Sprintf("%d ms", s.LatencyMS)
		if s.JitterMS > 0 {
			latency += fmt.Sprintf(" ±%d", s.JitterMS)
		}
		parts = append(parts, latency)
	}
	switch {
	case s.DownKBps == s.UpKBps && s.DownKBps > 0:
		parts = append(parts, fmt.Sprintf("%d KB/s", s.DownKBps))
	default:
		if s.DownKBps > 0 {
			parts = append(parts, fmt.Sprintf("%d KB/s down", s.DownKBps))
		}
		if s.UpKBps > 0 {
			parts = append(parts, fmt.Sprintf("%d KB/s up", s.UpKBps))
		}
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}

// Describe says what the link is, for people: its settings, whether it is cut, and faults of other kinds. Such as
// "10 ms ±2, 1000 KB/s", "cut, 10 ms", or "-".
func (p Proxy) Describe() string {
	text := p.Settings().String()
	if !p.Enabled {
		text = "cut" + strings.TrimSuffix(", "+text, ", -")
	}
	if others := p.foreign(); len(others) > 0 {
		text = strings.TrimPrefix(text+" and "+strings.Join(others, ", "), "- and ")
	}
	return text
}
