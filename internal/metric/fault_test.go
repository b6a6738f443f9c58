package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// A simulation is a server that does one thing at a time, in the order in which they come, and clients that ask it over
// a network. Times are milliseconds. The same seed has the same work, with a fault and without.
type simulation struct {
	clients int     // of a closed loop, which ask again when they have an answer
	rate    float64 // of an open loop, a second; its iterations wait for no other
	network float64 // of a round trip
	behind  bool    // the network is behind the queue, as between a pooler and its server

	stops   [2]float64       // the server stands still: so long at the end of each of that many ms
	pause   [2]float64       // k6 does, in an open loop
	drops   bool             // what was due in a pause never begins
	fails   func(i int) bool // iterations that nobody times
	failure float64          // what a failed one takes, away from the server
}

const simulated = 60_000.0

// A load is what a simulation did.
type load struct {
	times                 []float64
	late, dropped, failed int64
	work, stopped         float64
}

// free moves a moment over the time at the end of each interval in which nothing runs.
func free(t float64, off [2]float64) float64 {
	if off[1] > 0 {
		if within := math.Mod(t, off[1]); within >= off[1]-off[0] {
			return t + off[1] - within
		}
	}
	return t
}

// serve returns when work that begins at t is done.
func (s simulation) serve(t, work float64) float64 {
	for {
		t = free(t, s.stops)
		left := math.Inf(1)
		if s.stops[1] > 0 {
			left = s.stops[1] - s.stops[0] - math.Mod(t, s.stops[1])
		}
		if work <= left {
			return t + work
		}
		work, t = work-left, t+left
	}
}

func (s simulation) run() (l load) {
	random := rand.New(rand.NewPCG(1, 2))
	next := make([]float64, max(1, s.clients)) // when each client asks
	idleFrom := 0.0
	for i := 0; ; i++ {
		client := 0
		for c := range next {
			if next[c] < next[client] {
				client = c
			}
		}
		due, work := next[client], 0.5+0.5*random.ExpFloat64()
		if due >= simulated {
			return l
		}
		begun := due
		if s.rate > 0 {
			next[0] = due + 1000/s.rate*2*random.Float64()
			begun = free(due, s.pause)
		}
		if begun > due && s.drops {
			l.dropped++
			continue
		}
		if begun > due+1000/s.rate && s.rate > 0 {
			l.late++
		}
		failed := s.fails != nil && s.fails(i)
		if failed {
			l.failed++
			next[client] = begun + s.failure
			continue
		}
		start := max(idleFrom, begun+s.network/2)
		idleFrom = s.serve(start, work)
		l.work, l.stopped = l.work+work, l.stopped+idleFrom-start-work
		end := idleFrom + s.network/2
		if s.behind {
			idleFrom += s.network
			end = idleFrom
		}
		l.times = append(l.times, end-due)
		if s.rate == 0 {
			next[client] = end
		}
	}
}

// repeat is what the lab would measure of the load.
func (l load) repeat() *result.Repeat {
	times := slices.Sorted(slices.Values(l.times))
	at := func(q float64) float64 { return times[int(q*float64(len(times)-1))] }
	sum := 0.0
	for _, t := range times {
		sum += t
	}
	n := int64(len(times))
	trend := result.Trend{Count: n, Min: at(0), Avg: sum / float64(n), Med: at(0.5), P90: at(0.9), P95: at(0.95),
		P99: at(0.99), Max: at(1)}
	return &result.Repeat{Status: result.OK, Resources: &result.Resources{},
		Measured: &result.Measured{WindowSeconds: simulated / 1000, Transactions: n, TPS: 1000 * float64(n) / simulated,
			Late: l.late, Dropped: l.dropped, Trends: map[string]result.Trend{"pg_response_time": trend}}}
}

// TestFaultsStayWithinTheirBounds injects each fault into a simulated load: what is measured without it lies within the
// bound that is computed from what is measured with it.
func TestFaultsStayWithinTheirBounds(t *testing.T) {
	closed, open := simulation{clients: 4, network: 2}, simulation{rate: 300, network: 2}
	pooled := simulation{clients: 4, network: 5, behind: true}
	far, farOpen := simulation{clients: 4, network: 5}, simulation{rate: 300, network: 5}
	tests := []struct {
		name  string
		kind  result.FlagKind
		sound simulation
		fault func(*simulation)
		tell  func(load, *result.Cell, *result.Repeat) // what the lab knows of it
	}{
		{"5 ms measured as 6.75", result.FlagLatency, far, slowNetwork(6.75), roundTrip(5, 6.75)},
		{"5 ms measured as 6.75, open loop", result.FlagLatency, farOpen, slowNetwork(6.75), roundTrip(5, 6.75)},
		{"5 ms measured as 6.75, behind a pooler", result.FlagLatency, pooled, slowNetwork(6.75), roundTrip(5, 6.75)},
		{"5 ms measured as 2", result.FlagLatency, far, slowNetwork(2), roundTrip(5, 2)},
		{"a stop of 50 ms each second", result.FlagThrottled, open, stopping(50, 1000), stops(60)},
		{"a stop of 30 ms in every other period", result.FlagThrottled, open, stopping(30, 200), stops(300)},
		{"a tenth stolen", result.FlagStolen, closed, stopping(20, 200), steal},
		{"a tenth stolen in bursts", result.FlagStolen, closed, stopping(100, 1000), steal},
		{"a tenth stolen from an open loop", result.FlagStolen, open, stopping(2, 20), steal},
		{"a tenth stolen from an open loop in bursts", result.FlagStolen, open, stopping(20, 200), steal},
		{"k6 pauses", result.FlagLate, open, func(s *simulation) { s.pause = [2]float64{20, 400} }, nothingElse},
		{"k6 drops", result.FlagLate, open, func(s *simulation) {
			s.pause, s.drops = [2]float64{20, 400}, true
		}, nothingElse},
		{"one in ten fails at once", result.FlagErrors, closed, failing(0), errorsOf},
		{"one in ten fails after 50 ms", result.FlagErrors, closed, failing(50), errorsOf},
		{"one of four clients is missing", result.FlagWarmup, closed, func(s *simulation) { s.clients = 3 },
			func(_ load, _ *result.Cell, r *result.Repeat) { r.Measured.ClientsReady = 3 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			faulty := test.sound
			test.fault(&faulty)
			c := &result.Cell{Cell: lesson.Cell{Clients: test.sound.clients, Rate: test.sound.rate}}
			seen := faulty.run()
			with, without := seen.repeat(), test.sound.run().repeat()
			test.tell(seen, c, with)
			with.Flags = []result.Flag{{Kind: test.kind}}
			with.Bounds = Bounds(c, with)
			for _, name := range []string{"p50", "p95", "p99", "mean", "tps"} {
				f, _ := Find(name)
				checkWithin(t, f, c, with, without)
			}
		})
	}
}

// checkWithin wants the figure of the sound repeat within the bound of the faulty one; a hundredth is chance.
func checkWithin(t *testing.T, f Metric, c *result.Cell, faulty, sound *result.Repeat) {
	t.Helper()
	measured, _ := f.Of(c, faulty)
	truth, _ := f.Of(c, sound)
	b, ok := faulty.Bounds[f.Name]
	t.Logf("%-4s %8.2f with it, %8.2f without: ratio %.3f, bound %v", f.Name, measured, truth, truth/measured, b)
	if ratio := truth / measured; ok && (ratio < 0.99*b.Lo() || ratio > 1.01*b.Hi()) {
		t.Errorf("without the fault %s is %.3f times what it is with it, out of its bound %v", f.Name, ratio, b)
	}
	if !ok && f.Name == "p50" {
		t.Errorf("%s has no bound", f.Name)
	}
}

func slowNetwork(ms float64) func(*simulation) { return func(s *simulation) { s.network = ms } }

func stopping(ms, each float64) func(*simulation) {
	return func(s *simulation) { s.stops = [2]float64{ms, each} }
}

func failing(ms float64) func(*simulation) {
	return func(s *simulation) { s.failure, s.fails = ms, func(i int) bool { return i%10 == 9 } }
}

type telling = func(load, *result.Cell, *result.Repeat)

func roundTrip(set, measured float64) telling {
	return func(_ load, _ *result.Cell, r *result.Repeat) {
		r.RoundTrip = &result.RoundTrip{SetMS: set, MeasuredMS: measured}
	}
}

func stops(n int64) telling {
	return func(_ load, _ *result.Cell, r *result.Repeat) {
		r.Resources.Containers = []result.Container{{Service: "primary", Stops: n}}
	}
}

func steal(l load, _ *result.Cell, r *result.Repeat) {
	r.Resources.HostCPU, r.Resources.Stolen = share((l.work+l.stopped)/simulated), share(l.stopped/simulated)
}

func errorsOf(l load, _ *result.Cell, r *result.Repeat) {
	r.Measured.Errors = []result.Error{{Code: "57014", Count: l.failed}}
}

func nothingElse(load, *result.Cell, *result.Repeat) {}
