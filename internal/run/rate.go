package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/trial"
)

// How the rate of an open loop is held against what its paths can do.
const (
	probeIterations = 10   // of each client, without a pause
	mostShare       = 0.75 // of what the clients did in the probe: a rate above that isn't held
	lowerShare      = 0.5  // of what they did: what such a rate is lowered to
	windowHolds     = 15   // iterations that a window has room for, at least, where its rate was lowered
)

// lowerRates lowers the rates of open loops to what the slowest path holds: the same for all cells of a workload, so
// that they stay comparable. It finds out by a probe of each path, a closed loop at the highest latency. A rate that
// somebody typed, or that is to be too high, stays. It returns nil when ctx ends.
func (r *runner) lowerRates(ctx context.Context) error {
	if len(r.doc.Lesson.Override.Values["rate"]) > 0 {
		return nil
	}
	defer r.progress.doing("")
	done, slowest := map[string]float64{}, map[string]string{} // by workload
	probes := r.probes()
	for i, c := range probes {
		if ctx.Err() != nil {
			return nil
		}
		r.progress.doing(fmt.Sprintf("probe %d/%d: the highest rate of %s on %s", i+1, len(probes), c.Workload, c.Path))
		rate, ok := r.probe(ctx, c)
		if was, known := done[c.Workload]; ok && (!known || rate < was) {
			done[c.Workload], slowest[c.Workload] = rate, c.Path
		}
	}
	for workload, rate := range r.lower(done) {
		r.progress.say("%s: %g iterations/s, which all paths hold (the slowest: %s)", workload, rate, slowest[workload])
	}
	return r.doc.Write(r.lab.Folder)
}

// probes are the cells to find out the rates with: of those that differ in latency alone, the one with the highest.
func (r *runner) probes() []lesson.Cell {
	var probes []lesson.Cell
	for i := range r.doc.Cells {
		c := r.doc.Cells[i].Cell
		if !mayLower(c) {
			continue
		}
		same := func(other lesson.Cell) bool {
			return c.SameBut(&other, "experiment", "latency_ms", "link", "rate", "seconds", "warmup_seconds", "fill_pools",
				"repeats_wanted")
		}
		at := slices.IndexFunc(probes, same)
		switch {
		case at < 0:
			probes = append(probes, c)
		case c.Latency.MS() > probes[at].Latency.MS():
			probes[at] = c
		}
	}
	return probes
}

// mayLower says whether the cell is an open loop whose rate follows what paths hold.
func mayLower(c lesson.Cell) bool { return c.Rate > 0 && !c.Overload }

// probe returns how many iterations a second the clients of c do without a pause; not ok where it couldn't be found
// out, and the cell's own repeats will say why.
func (r *runner) probe(ctx context.Context, c lesson.Cell) (rate float64, ok bool) {
	c.ID += "-probe"
	c.Rate, c.Transactions, c.Seconds = 0, probeIterations, max(60, c.Seconds)
	t := trial.New(nil, 0, 1, 1, c)
	if err := r.lab.Measure(ctx, t); err != nil || t.Sides[0].Out.Measured.Finish == nil {
		return 0, false
	}
	f := t.Sides[0].Out.Measured.Finish
	working := f.Seconds - f.MeanConnectSeconds
	if f.Finished == 0 || working <= 0 {
		return 0, false
	}
	return float64(f.Finished*probeIterations) / working, true
}

// lower gives the cells of a workload a rate that is held where theirs isn't, and a window that has room for some
// iterations. It returns the rates that it lowered, by workload.
func (r *runner) lower(done map[string]float64) map[string]float64 {
	lowered := map[string]float64{}
	for i := range r.doc.Cells {
		c := &r.doc.Cells[i].Cell
		most, known := done[c.Workload]
		if !mayLower(*c) || !known || c.Rate <= mostShare*most {
			continue
		}
		c.Rate = outOfStep(lowerShare * most)
		c.Seconds = max(c.Seconds, windowHolds/c.Rate)
		lowered[c.Workload] = c.Rate
	}
	return lowered
}

// primes of two digits: iterations at such a rate, or a power of ten of it, begin at ever other moments of the 100 ms
// in which Linux enforces a CPU limit.
var primes = []float64{11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97}

// outOfStep is the highest rate, rate at most, that is out of step with the CPU limits' periods.
func outOfStep(rate float64) float64 {
	power := math.Floor(math.Log10(rate)) - 1
	digits := rate / math.Pow(10, power)
	if digits < primes[0] {
		digits, power = digits*10, power-1
	}
	at, found := slices.BinarySearchFunc(primes, digits, cmp.Compare[float64])
	if !found {
		at--
	}
	exact, _ := strconv.ParseFloat(fmt.Sprintf("%ge%g", primes[at], power), 64) // 1.9, not 1.9000000000000001
	return exact
}
