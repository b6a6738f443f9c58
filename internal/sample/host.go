// Package sample watches what a repeat uses while k6 runs: the host's CPU, and CPU, throttling and memory of the
// containers on its path; and what its databases and its pooler say of sessions, waits and queues meanwhile.
package sample

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// procStat is the kernel's count of CPU time and context switches; within a container too it is the whole host's.
const procStat = "/proc/stat"

// A hostSample is how much time the host's CPUs have spent, in clock ticks, and how often they went from one thread
// to another, since it started.
type hostSample struct {
	at                  time.Time
	busy, stolen, total int64
	switches            int64
}

func readHost() (hostSample, error) {
	text, err := os.ReadFile(procStat)
	if err != nil {
		return hostSample{}, fmt.Errorf("read the host's CPU time: %w", err)
	}
	return parseHost(time.Now(), text)
}

// parseHost reads the first line of /proc/stat: user nice system idle iowait irq softirq steal, and guest times
// that user and nice hold already; and ctxt. Stolen time counts as busy, since the lab can't have it.
func parseHost(at time.Time, text []byte) (hostSample, error) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) < 9 || fields[0] != "cpu" {
		return hostSample{}, fmt.Errorf("%s begins with %q, which isn't CPU time", procStat, line)
	}
	s := hostSample{at: at}
	for i, f := range fields[1:9] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return hostSample{}, fmt.Errorf("read %s: %w", procStat, err)
		}
		s.total += n
		if i != 3 && i != 4 { // idle, iowait
			s.busy += n
		}
		if i == 7 { // what other machines on the same hardware took
			s.stolen += n
		}
	}
	_, rest, _ := bytes.Cut(text, []byte("\nctxt "))
	count, _, _ := bytes.Cut(rest, []byte("\n"))
	var err error
	if s.switches, err = strconv.ParseInt(string(count), 10, 64); err != nil {
		return hostSample{}, fmt.Errorf("read the context switches in %s: %w", procStat, err)
	}
	return s, nil
}

// switchRate is how many context switches a second there were between two samples, nil where no time passed.
func switchRate(from, to hostSample) *float64 {
	if !to.at.After(from.at) {
		return nil
	}
	v := float64(to.switches-from.switches) / to.at.Sub(from.at).Seconds()
	return &v
}

// Stolen begins to watch what the hypervisor gives to other machines. The function that it returns says which share of
// the host's CPU time that was since then, nil where the kernel doesn't tell.
func Stolen() func() *float64 {
	from, err := readHost()
	return func() *float64 {
		to, unread := readHost()
		if err != nil || unread != nil {
			return nil
		}
		_, stolen := shares(from, to)
		return stolen
	}
}

// LostWhileBusy keeps one CPU busy for d and returns which share of the time that was asked of the host's CPUs was
// stolen: the hypervisor gave it to other machines. A machine that is idle isn't told what it would lose. It is nil
// where the kernel doesn't tell, or has counted nothing yet.
func LostWhileBusy(d time.Duration) *float64 {
	from, err := readHost()
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
	to, unread := readHost()
	if err != nil || unread != nil {
		return nil
	}
	busy, stolen := shares(from, to)
	if busy == nil || *busy == 0 {
		return nil
	}
	*stolen /= *busy
	return stolen
}

// shares are the parts of the host's CPU time between two samples that somebody used and, of these, that the
// hypervisor gave to other machines; nil where no time passed.
func shares(from, to hostSample) (busy, stolen *float64) {
	if to.total <= from.total {
		return nil, nil
	}
	of := func(ticks int64) *float64 {
		v := float64(ticks) / float64(to.total-from.total)
		return &v
	}
	return of(to.busy - from.busy), of(to.stolen - from.stolen)
}
