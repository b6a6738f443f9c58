package shared

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// file is the kernel's count of CPU time and context switches; within a container too it is the whole host's.
const file = "/proc/stat"

// A HostCPU is how much time the host's CPUs have spent, in clock ticks, and how often they went from one thread
// to another, since it started. Stolen time is among the busy, since the lab can't have it.
type HostCPU struct {
	At                  time.Time
	Busy, Stolen, Total int64
	Switches            int64
}

// ReadHostCPU takes a sample now.
func ReadHostCPU() (HostCPU, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return HostCPU{}, fmt.Errorf("read the host's CPU time: %w", err)
	}
	return parseHostCPU(time.Now(), text)
}

// parseHostCPU reads the first line of /proc/stat: user nice system idle iowait irq softirq steal, and guest times that
// user and nice hold already; and ctxt.
func parseHostCPU(at time.Time, text []byte) (HostCPU, error) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) < 9 || fields[0] != "cpu" {
		return HostCPU{}, fmt.Errorf("%s begins with %q, which isn't CPU time", file, line)
	}
	s := HostCPU{At: at}
	for i, f := range fields[1:9] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return HostCPU{}, fmt.Errorf("read %s: %w", file, err)
		}
		s.Total += n
		if i != 3 && i != 4 { // idle, iowait
			s.Busy += n
		}
		if i == 7 { // what other machines on the same hardware took
			s.Stolen += n
		}
	}
	_, rest, _ := bytes.Cut(text, []byte("\nctxt "))
	count, _, _ := bytes.Cut(rest, []byte("\n"))
	var err error
	if s.Switches, err = strconv.ParseInt(string(count), 10, 64); err != nil {
		return HostCPU{}, fmt.Errorf("read the context switches in %s: %w", file, err)
	}
	return s, nil
}

// Add is the time of both samples.
func (s HostCPU) Add(other HostCPU) HostCPU {
	s.Busy, s.Stolen, s.Total = s.Busy+other.Busy, s.Stolen+other.Stolen, s.Total+other.Total
	s.Switches += other.Switches
	return s
}

// Since is what was spent after an earlier sample.
func (s HostCPU) Since(earlier HostCPU) HostCPU {
	return HostCPU{At: s.At, Busy: s.Busy - earlier.Busy, Stolen: s.Stolen - earlier.Stolen,
		Total: s.Total - earlier.Total, Switches: s.Switches - earlier.Switches}
}

// Shares are the parts of the time that somebody used and, of these, that the hypervisor gave to other machines; nil
// where no time passed.
func (s HostCPU) Shares() (busy, stolen *float64) {
	if s.Total <= 0 {
		return nil, nil
	}
	of := func(ticks int64) *float64 {
		v := float64(ticks) / float64(s.Total)
		return &v
	}
	return of(s.Busy), of(s.Stolen)
}
