package pg

import (
	"time"

	"go.k6.io/k6/v2/metrics"

	"pooler-lab/k6/summary"
)

// Pair is what the module knows of the two cells whose clients have alternated; nil where no script used slots. Of each
// side's summary that is the ending.
func Pair() *summary.Test {
	return module.slots.pair(&module.errors)
}

// Group is what the module knows of a group that is complete, and the file to which it belongs: all but the figures.
func Group(number int) (group summary.Group, file string) {
	s := &module.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.groups[number-1], s.options.Groups
}

// group describes a group all of whose slots have ended.
func (s *slots) group(number int) summary.Group {
	g := summary.Group{Number: number}
	for _, in := range s.all {
		if in.group != number {
			continue
		}
		if g.Start.IsZero() {
			g.Start = in.begin.UTC()
		}
		g.Order, g.End = in.order, in.to.UTC()
		g.Sides[in.side].Seconds += in.to.Sub(in.from).Seconds()
	}
	return g
}

// pair sums the slots up.
func (s *slots) pair(errors *errorTally) *summary.Test {
	if !s.used.Load() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &summary.Test{SlotMS: inMilliseconds(s.length), TooSlow: s.tooSlow, Failure: s.failure, Groups: len(s.groups)}
	for side, took := range s.medians() {
		p.MedianMS[side] = inMilliseconds(took)
		p.HostCPU[side], _ = s.host[side].Shares()
		ending := summary.Ending{Window: s.window(side), Errors: errors.list(side)}
		p.Sides = append(p.Sides, &summary.Summary{Ending: ending})
	}
	return p
}

// window is the counted parts of a side's slots; nil where there is none.
func (s *slots) window(side int) *summary.Window {
	m := s.members[side]
	w := &summary.Window{Ready: m.ready, Failed: m.failed}
	for _, in := range s.all {
		if in.side != side || in.group == 0 {
			continue
		}
		if w.Start.IsZero() {
			w.Start = in.begin.UTC()
		}
		w.End = in.to.UTC()
		w.Seconds += in.to.Sub(in.from).Seconds()
	}
	if w.Start.IsZero() {
		return nil
	}
	return w
}

// report pushes the metrics of the whole pair, for other outputs than the lab's own.
func (s *slots) report(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for side, m := range s.members {
		window := s.window(side)
		if m.first == nil || window == nil {
			continue
		}
		tags := m.first.vu.State().Tags.GetCurrentValues().Tags
		m.first.push(metrics.Samples{
			sample(m.first.metrics.Window, tags, now, window.Seconds),
			sample(m.first.metrics.ClientsReady, tags, now, float64(window.Ready)),
			sample(m.first.metrics.ClientsFailed, tags, now, float64(window.Failed)),
		}...)
	}
}

// milliseconds turns a number of milliseconds into a duration.
func milliseconds(value float64) time.Duration {
	return time.Duration(value * float64(time.Millisecond))
}

// inMilliseconds turns a duration into a number of milliseconds.
func inMilliseconds(value time.Duration) float64 {
	return float64(value) / float64(time.Millisecond)
}
