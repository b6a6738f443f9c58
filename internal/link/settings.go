package link

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"pooler-lab/internal/wan"
)

// Settings is what a link is set to. The zero value adds nothing.
type Settings struct {
	// LatencyMS is the round trip that the link takes, its proxy's own hop included; thousandths count.
	LatencyMS float64 `json:"latency_ms" yaml:"latency_ms"`
	JitterMS  float64 `json:"jitter_ms" yaml:"jitter_ms"` // each answer is late by LatencyMS plus or minus up to this
	// DownKBps is the bandwidth towards the client in KB/s of 1000 bytes, for each connection; 0 is no limit. UpKBps is
	// that towards the server.
	DownKBps int `json:"down_kbps" yaml:"down_kbps"`
	UpKBps   int `json:"up_kbps" yaml:"up_kbps"`
}

// longest is the most that a link may be told to take, in ms.
const longest = float64(wan.Longest / time.Millisecond)

// Check says what of the settings is none that a link can have.
func (s Settings) Check() error {
	if err := checkMS(fmt.Sprintf("a latency of %g ms", s.LatencyMS), s.LatencyMS); err != nil {
		return err
	}
	if err := checkMS(fmt.Sprintf("a jitter of %g ms", s.JitterMS), s.JitterMS); err != nil {
		return err
	}
	for _, kbps := range []int{s.DownKBps, s.UpKBps} {
		if kbps < 0 || kbps > wan.Fastest {
			return fmt.Errorf("a bandwidth of %d KB/s: say whole KB/s (1 KB = 1000 bytes) from 1 to %d, or 0 for no limit",
				kbps, wan.Fastest)
		}
	}
	if s.JitterMS > s.LatencyMS { // toxiproxy would take it in, but not do it
		return fmt.Errorf("jitter of %g ms is more than the latency of %g ms: answers can't come before they were asked for",
			s.JitterMS, s.LatencyMS)
	}
	return nil
}

func checkMS(what string, ms float64) error {
	switch {
	case ms < 0:
		return fmt.Errorf("%s is negative: a link can't answer before it was asked", what)
	case ms > longest:
		return fmt.Errorf("%s is more than 10 minutes, the most a link may add; cut it instead", what)
	case ms != float64(microseconds(ms))/1000:
		return fmt.Errorf("%s isn't a whole number of microseconds, and toxiproxy knows no others", what)
	}
	return nil
}

var (
	bareNumber = regexp.MustCompile(`^[+-]?[0-9]*\.?[0-9]+$`)
	someTime   = regexp.MustCompile(`^[+-]?[0-9.]`)
)

// timeUnits are words that people set apart from their number, as parseMS knows them.
var timeUnits = map[string]string{"us": "us", "ms": "ms", "msec": "ms", "s": "s", "sec": "s", "m": "m", "min": "m"}

// looksLikeTime reports whether an argument means an amount, right or wrong, rather than a name.
func looksLikeTime(text string) bool { return someTime.MatchString(text) }

// parseLatency reads a latency, with jitter or without: 10ms±3ms, or 10ms+-3ms.
func parseLatency(text string) (s Settings, err error) {
	latency, jitter, has := strings.Cut(strings.Replace(text, "+-", "±", 1), "±")
	if s.LatencyMS, err = parseMS(latency); err == nil && has {
		s.JitterMS, err = parseMS(jitter)
	}
	return s, err
}

// parseMS reads the milliseconds of a round trip: 0.5, 0.5ms and 500us are the same.
func parseMS(text string) (float64, error) {
	written := text
	if bareNumber.MatchString(text) {
		text += "ms"
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no latency: say 10ms, 10 or 500us", written)
	}
	ms := float64(d.Nanoseconds()) / 1e6
	return ms, checkMS(written, ms)
}

// with returns the settings with what the flags say; "" is a flag that wasn't given.
func (s Settings) with(jitter, bandwidth string) (Settings, error) {
	if jitter != "" {
		ms, err := parseMS(jitter)
		if err != nil {
			return s, fmt.Errorf("jitter: %w", err)
		}
		s.JitterMS = ms
	}
	if bandwidth != "" {
		kbps, err := strconv.Atoi(bandwidth)
		if err != nil || kbps < 1 || kbps > wan.Fastest {
			return s, fmt.Errorf("bandwidth %q: say whole KB/s (1 KB = 1000 bytes) from 1 to %d, such as 1000",
				bandwidth, wan.Fastest)
		}
		s.DownKBps, s.UpKBps = kbps, kbps
	}
	return s, s.Check()
}

// Describe returns the settings as people read them: "10 ms ±2, 1000 KB/s", or "0 ms".
func (s Settings) Describe() string {
	var parts []string
	limited := s.DownKBps > 0 || s.UpKBps > 0
	if s.LatencyMS > 0 || s.JitterMS > 0 || !limited {
		latency := fmt.Sprintf("%g ms", s.LatencyMS)
		if s.JitterMS > 0 {
			latency += fmt.Sprintf(" ±%g", s.JitterMS)
		}
		parts = append(parts, latency)
	}
	switch {
	case limited && s.DownKBps == s.UpKBps:
		return strings.Join(append(parts, fmt.Sprintf("%d KB/s", s.DownKBps)), ", ")
	case s.DownKBps > 0:
		parts = append(parts, fmt.Sprintf("%d KB/s down", s.DownKBps))
	}
	if s.UpKBps > 0 {
		parts = append(parts, fmt.Sprintf("%d KB/s up", s.UpKBps))
	}
	return strings.Join(parts, ", ")
}

// Patience is how long a link that is set so may take to connect and to answer a few times. Somebody waits for that, so
// a link that takes more than 20 seconds counts as not answering.
func (s Settings) Patience() time.Duration {
	ten := time.Duration(10 * (s.LatencyMS + s.JitterMS) * float64(time.Millisecond))
	return min(5*time.Second+ten, 20*time.Second)
}
