package link

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Settings is what a link is set to. The zero value adds nothing.
type Settings struct {
	LatencyMS int `json:"latency_ms" yaml:"latency_ms"` // round trip that is added
	JitterMS  int `json:"jitter_ms" yaml:"jitter_ms"`   // each answer is late by LatencyMS plus or minus up to this
	// DownKBps is the bandwidth towards the client in KB/s of 1000 bytes, for each connection; 0 is no limit. UpKBps is
	// that towards the server.
	DownKBps int `json:"down_kbps" yaml:"down_kbps"`
	UpKBps   int `json:"up_kbps" yaml:"up_kbps"`
}

const (
	// longest is the most that a link may be told to add, 10 minutes in ms: more would only look like a cut.
	longest = 10 * 60 * 1000
	// fastest is the highest limit in KB/s, 10 GB/s: more than any link of a lab carries.
	fastest = 10_000_000
)

// Check says what of the settings is none that a link can have.
func (s Settings) Check() error {
	if err := checkMS(fmt.Sprintf("a latency of %d ms", s.LatencyMS), s.LatencyMS); err != nil {
		return err
	}
	if err := checkMS(fmt.Sprintf("a jitter of %d ms", s.JitterMS), s.JitterMS); err != nil {
		return err
	}
	for _, kbps := range []int{s.DownKBps, s.UpKBps} {
		if kbps < 0 || kbps > fastest {
			return fmt.Errorf("a bandwidth of %d KB/s: say whole KB/s (1 KB = 1000 bytes) from 1 to %d, or 0 for no limit",
				kbps, fastest)
		}
	}
	if s.JitterMS > s.LatencyMS { // toxiproxy would take it in, but not do it
		return fmt.Errorf("jitter of %d ms is more than the latency of %d ms: answers can't come before they were asked for",
			s.JitterMS, s.LatencyMS)
	}
	return nil
}

func checkMS(what string, ms int) error {
	switch {
	case ms < 0:
		return fmt.Errorf("%s is negative: a link can't answer before it was asked", what)
	case ms > longest:
		return fmt.Errorf("%s is more than 10 minutes, the most a link may add; cut it instead", what)
	}
	return nil
}

var (
	bareNumber = regexp.MustCompile(`^[+-]?[0-9]*\.?[0-9]+$`)
	someTime   = regexp.MustCompile(`^[+-]?[0-9.]`)
)

// timeUnits are words that people set apart from their number, as ParseMS knows them.
var timeUnits = map[string]string{"ms": "ms", "msec": "ms", "s": "s", "sec": "s", "m": "m", "min": "m"}

// looksLikeTime reports whether an argument means an amount, right or wrong, rather than a name.
func looksLikeTime(text string) bool { return someTime.MatchString(text) }

// parseMS reads whole milliseconds of a round trip: 10, 10ms and 0.01s are the same.
func parseMS(text string) (int, error) {
	written := text
	if bareNumber.MatchString(text) {
		text += "ms"
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no latency: say 10ms, 10 or 0.01s", written)
	}
	if err := checkMS(written, int(d.Milliseconds())); err != nil {
		return 0, err
	}
	if below := d.Truncate(time.Millisecond); below != d {
		return 0, fmt.Errorf("%s isn't a whole number of milliseconds, and toxiproxy knows no others: say %dms or %dms",
			written, below.Milliseconds(), below.Milliseconds()+1)
	}
	return int(d.Milliseconds()), nil
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
		if err != nil || kbps < 1 || kbps > fastest {
			return s, fmt.Errorf("bandwidth %q: say whole KB/s (1 KB = 1000 bytes) from 1 to %d, such as 1000",
				bandwidth, fastest)
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
		latency := fmt.Sprintf("%d ms", s.LatencyMS)
		if s.JitterMS > 0 {
			latency += fmt.Sprintf(" ±%d", s.JitterMS)
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
	return min(5*time.Second+10*time.Duration(s.LatencyMS+s.JitterMS)*time.Millisecond, 20*time.Second)
}
