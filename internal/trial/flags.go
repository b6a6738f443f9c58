package trial

import (
	"fmt"
	"math"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
)

// What a repeat may show before it is flagged. What a flag does to outcomes says metric.Rule.
const (
	hostFull      = 0.95 // share of the host's CPUs in use
	stolenMost    = 0.10 // share of the host's CPUs that the hypervisor gave to others
	generatorFull = 0.90 // share of the host's CPUs that k6 alone uses
	lateShare     = 0.01 // of the iterations of an open loop, late and dropped together
	fewest        = 10   // transactions that a median is taken of
	driftLeast    = 0.10 // of the larger rate, that the rates at a window's beginning and end differ
	eventLate     = 0.5  // seconds, that an event or the end of its window comes late
	attemptsLate  = 0.10 // share of the attempts before the first event, that weren't made; one of each client may be open
	throttledMost = 0.10 // share of the iterations of an open loop that CPU limits can have held up
)

// Flags says what a reader has to know of a repeat before believing its figures.
func Flags(c lesson.Cell, r *result.Repeat) []result.Flag {
	flags := []result.Flag{}
	add := func(wrong bool, kind result.FlagKind, text string, args ...any) {
		if wrong {
			flags = append(flags, result.Flag{Kind: kind, Text: fmt.Sprintf(text, args...)})
		}
	}
	if t := r.RoundTrip; t != nil {
		add(!t.AsSet(), result.FlagLatency, "a round trip of %.2f ms, %g were set", t.MeasuredMS, t.SetMS)
	}
	m := r.Measured
	if m == nil { // of scenarios
		return flags
	}
	var failed int64
	for _, e := range m.Errors {
		failed += e.Count
	}
	if c.Events == nil { // what these do to clients is what is measured
		add(failed > 0, result.FlagErrors, "%s", metric.Count(int(failed), "error"))
		add(m.Transactions < fewest, result.FlagFew, "%s in the measured window",
			metric.Count(int(m.Transactions), "transaction"))
		add(float64(m.Late+m.Dropped) > lateShare*float64(m.Transactions), result.FlagLate,
			"%d iterations began late and %d never", m.Late, m.Dropped)
	}
	flags = append(flags, lateness(c, r)...)
	if d := drift(m.Tenths); c.Rate == 0 && c.Transactions == 0 {
		seconds := m.WindowSeconds / float64(max(1, len(m.Tenths)))
		add(d != (shared.Drift{}), result.FlagDrift, "not steady: %s iterations a second at first, %s at the end",
			metric.Number(d.First/seconds), metric.Number(d.Last/seconds))
	}
	add(m.ClientsReady < c.Clients && c.Transactions == 0, result.FlagWarmup,
		"%d of %d clients could get ready, the others failed", m.ClientsReady, c.Clients)
	for _, n := range r.Counts {
		add(failed == 0 && !n.Equal, result.FlagCounts, "%s: %d, %s counted %d", n.What, n.Server, c.DrivenBy(), n.K6)
	}
	add(r.Uncounted != "", result.FlagUncounted, "the servers' counts could not be read: %s", r.Uncounted)
	if u := r.Resources; u != nil {
		host, stolen, generator := share(u.HostCPU), share(u.Stolen), share(u.GeneratorCPU)
		add(host >= hostFull, result.FlagHost, "%.0f %% of the host's CPU in use", 100*host)
		add(stolen >= stolenMost, result.FlagStolen,
			"%.0f %% of the host's CPU time was stolen: the hypervisor gave it to other virtual machines", 100*stolen)
		add(generator >= generatorFull, result.FlagGenerator, "%s alone used %.0f %% of the host's CPU", c.DrivenBy(),
			100*generator)
		held := metric.HeldUp(r)
		add(c.Rate > 0 && held >= throttledMost, result.FlagThrottled,
			"CPU limits stopped %s and can have held up %.0f %% of the iterations", stops(u), 100*held)
	}
	return flags
}

// lateness says of a repeat with events what came late, and not because of them: an event, the end of the window, or
// the clients' attempts before the first event.
func lateness(c lesson.Cell, r *result.Repeat) (flags []result.Flag) {
	add := func(wrong bool, text string, args ...any) {
		if wrong {
			flags = append(flags, result.Flag{Kind: result.FlagLate, Text: fmt.Sprintf(text, args...)})
		}
	}
	free := 0.0 // when the event before had ended
	for _, e := range r.Events {
		late := e.Began - max(e.At, free)
		add(late > eventLate, "%q began %.1f s late", e.Do, late)
		free = e.Ended
	}
	if len(r.Events) == 0 || r.Ledger == nil {
		return flags
	}
	last := r.Events[len(r.Events)-1]
	late := r.Measured.WindowSeconds - last.Ended - (c.Seconds - last.At)
	add(late > eventLate, "the window closed %.1f s late", late)
	steps, made := int(r.Events[0].At/r.Ledger.StepSeconds), 0
	for i := range min(steps, len(r.Ledger.Succeeded)) {
		made += r.Ledger.Succeeded[i] + r.Ledger.Failed[i]
	}
	due := c.Rate * float64(steps) * r.Ledger.StepSeconds
	add(float64(made+c.Clients) < (1-attemptsLate)*due, "of %.0f attempts due before %q, %d were made", due,
		r.Events[0].Do, made)
	return flags
}

// drift is that of what a window's clients did in each part of it; none where its ends differ by less than driftLeast.
func drift(parts []int64) shared.Drift {
	counts := make([]float64, len(parts))
	for i, n := range parts {
		counts[i] = float64(n)
	}
	d := shared.DriftOf(counts)
	if math.Abs(d.Last-d.First) < driftLeast*max(d.First, d.Last) {
		return shared.Drift{}
	}
	return d
}

// stops says how often its limit stopped each container that it did.
func stops(u *result.Resources) string {
	var all []string
	for _, n := range u.Containers {
		if n.Stops > 0 {
			all = append(all, n.Service+" "+metric.Count(int(n.Stops), "time"))
		}
	}
	return strings.Join(all, ", ")
}

// share is a measured one, 0 where nobody measured it.
func share(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
