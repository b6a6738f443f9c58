package link

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// longest is the most that a link may be told to add: more would only look like a cut.
const longest = 10 * time.Minute

// fastest is the highest limit in KB/s, 10 GB/s: more than any link of a lab carries.
const fastest = 10_000_000

var (
	bareNumber = regexp.MustCompile(`^[+-]?[0-9]*\.?[0-9]+$`)
	someTime   = regexp.MustCompile(`^[+-]?[0-9.]`)
)

// timeUnits are words that people set apart from their number, as ParseMS knows them.
var timeUnits = map[string]string{"ms": "ms", "msec": "ms", "s": "s", "sec": "s", "m": "m", "min": "m"}

// looksLikeTime reports whether an argument means an amount, right or wrong, rather than a name.
func looksLikeTime(text string) bool { return someTime.MatchString(text) }

// ParseMS reads whole milliseconds of a round trip: 10, 10ms and 0.01s are the same.
func ParseMS(text string) (int, error) {
	written := text
	if bareNumber.MatchString(text) {
		text += "ms"
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is no latency: say 10ms, 10 or 0.01s", written)
	case d < 0:
		return 0, fmt.Errorf("%s is negative: a link can't answer before it was asked", written)
	case d > longest:
		return 0, fmt.Errorf("%s is more than 10 minutes, the most a link may add; cut it instead", written)
	case d%time.Millisecond != 0:
		below := d.Truncate(time.Millisecond)
		return 0, fmt.Errorf("%s isn't a whole number of milliseconds, and toxiproxy knows no others: say %dms or %dms",
			written, below.Milliseconds(), below.Milliseconds()+1)
	}
	return int(d.Milliseconds()), nil
}

// ParseKBps reads a bandwidth in KB/s, KB being 1000 bytes.
func ParseKBps(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > fastest {
		return 0, fmt.Errorf("bandwidth %q: say whole KB/s (1 KB = 1000 bytes) from 1 to %d, such as 1000", text, fastest)
	}
	return n, nil
}

// with returns the settings with what the flags say; "" is a flag that wasn't given.
func (s Settings) with(jitter, bandwidth string) (Settings, error) {
	if jitter != "" {
		ms, err := ParseMS(jitter)
		if err != nil {
			return s, fmt.Errorf("jitter: %w", err)
		}
		s.JitterMS = ms
	}
	if bandwidth != "" {
		kbps, err := ParseKBps(bandwidth)
		if err != nil {
			return s, err
		}
		s.DownKBps, s.UpKBps = kbps, kbps
	}
	return s, s.check()
}

// check says what toxiproxy would take in but not do.
func (s Settings) check() error {
	if s.JitterMS > s.LatencyMS {
		return fmt.Errorf(
			"jitter of %d ms is more than the latency of %d ms: answers can't come before they were asked for",
			s.JitterMS,
			s.LatencyMS,
		)
	}
	return nil
}
