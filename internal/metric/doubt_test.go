package metric

import (
	"math"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// spread is 200 times: half within 8 ms, and a tail.
var spread = result.Trend{Count: 200, Min: 4, Avg: 9, Med: 8, P90: 12, P95: 16, P99: 20, Max: 40}

// doubtful is a cell of ten clients in a closed loop, and a repeat of it in which nothing was wrong.
func doubtful() (*result.Cell, *result.Repeat) {
	c := &result.Cell{Cell: lesson.Cell{Path: "pgpool", Clients: 10}}
	r := &result.Repeat{Status: result.OK, RoundTrip: &result.RoundTrip{SetMS: 5, MeasuredMS: 5},
		Measured: &result.Measured{WindowSeconds: 2, Transactions: 200, TPS: 100, ClientsReady: 10,
			Trends:   map[string]result.Trend{"pg_response_time": spread},
			Counters: map[string]float64{"pg_bytes_sent": 1e6, "pg_bytes_received": 1e6}},
		Resources: &result.Resources{HostCPU: share(0.5), Stolen: share(0),
			Containers: []result.Container{{Service: "primary"}, {Service: "pgpool"}}}}
	return c, r
}

// TestBounds wants of each flag the bounds that follow by hand from its formula.
func TestBounds(t *testing.T) {
	type bounds = map[string]result.Bound
	open := func(c *result.Cell) { c.Rate = 100 } // 200 iterations in the window's 2 s
	tests := []struct {
		name   string
		kind   result.FlagKind
		change func(*result.Cell, *result.Repeat)
		want   bounds
		none   []string // without a bound
	}{
		{"5 ms measured as 6.75", result.FlagLatency, func(_ *result.Cell, r *result.Repeat) {
			r.RoundTrip.MeasuredMS = 6.75
		}, bounds{"p50": {0.7407, 1}, "p95": {0.7407, 1}, "mean": {0.7407, 1}, "tps": {1, 1.35}, "copy_mb_s": {1, 1.35}},
			[]string{"cpu_database"}},
		{"5 ms measured as 2.5", result.FlagLatency, func(_ *result.Cell, r *result.Repeat) {
			r.RoundTrip.MeasuredMS = 2.5
		}, bounds{"p50": {1, 2}, "tps": {0.5, 1}}, nil},
		{"2 ms where none were set", result.FlagLatency, func(_ *result.Cell, r *result.Repeat) {
			r.RoundTrip = &result.RoundTrip{MeasuredMS: 2}
		}, bounds{"p50": {0, 1}}, []string{"tps"}},
		{"no faster than an open loop's rate", result.FlagLatency, func(c *result.Cell, r *result.Repeat) {
			open(c)
			r.RoundTrip.MeasuredMS = 6.75
		}, bounds{"tps": {1, 1}}, nil},

		// (100 ms + 8 ms) x 2 / 2 s: a tenth of the iterations. Of those below the median, 44.6 % are sure.
		{"two stops", result.FlagThrottled, func(c *result.Cell, r *result.Repeat) {
			open(c)
			r.Resources.Containers[0].Stops, r.Resources.Containers[1].Stops = 1, 1
		}, bounds{"p50": {0.946, 1}, "p95": {0.5, 1}, "p99": {0.4, 1}, "mean": {0.52, 1}, "tps": {1, 1}}, nil},
		{"all the time", result.FlagThrottled, func(c *result.Cell, r *result.Repeat) {
			open(c)
			r.Resources.Containers[0].Stops = 20
		}, bounds{"p50": {0, 1}, "p99": {0, 1}, "tps": {1, 1}}, nil},

		// 0.1 of 0.5: a fifth of what was asked for.
		{"stolen", result.FlagStolen, func(_ *result.Cell, r *result.Repeat) { r.Resources.Stolen = share(0.1) },
			bounds{"p50": {0.72, 1}, "p95": {0.4, 1}, "tps": {1, 1.25}}, []string{"cpu_database"}},
		{"stolen from an open loop", result.FlagStolen, func(c *result.Cell, r *result.Repeat) {
			open(c)
			r.Resources.Stolen = share(0.1)
		}, bounds{"p50": {0.6, 1}, "tps": {1, 1}}, nil},

		{"a tenth began late", result.FlagLate, func(_ *result.Cell, r *result.Repeat) { r.Measured.Late = 20 },
			bounds{"p50": {0.9, 1}, "p95": {0.5, 1}, "tps": {1, 1}}, nil},
		{"a fifth never began", result.FlagLate, func(c *result.Cell, r *result.Repeat) {
			c.Rate, r.Measured.Dropped = 125, 50
		}, bounds{"p50": {0.875, 1.1563}, "tps": {1, 1.25}}, []string{"p95", "p99"}},

		{"one in eleven failed, and the time with it", result.FlagErrors, func(_ *result.Cell, r *result.Repeat) {
			r.Measured.Errors = []result.Error{{Code: "57014", Count: 20}}
		}, bounds{"p50": {0.95, 11.8056}, "tps": {0.909, 11.1112}}, []string{"p95"}},
		{"clients that were refused", result.FlagErrors, func(c *result.Cell, r *result.Repeat) {
			r.Measured.Errors = []result.Error{{Code: "53300", Count: 5}}
			r.Measured.Finish = &result.Finish{Connected: 5, TPS: 100, Seconds: 3}
		}, bounds{"tps": {0.5, 2}}, []string{"p95", "finish_seconds"}},
		{"nothing but errors", result.FlagErrors, func(_ *result.Cell, r *result.Repeat) {
			r.Measured.Errors, r.Measured.Transactions = []result.Error{{Code: "53300", Count: 5}}, 0
		}, nil, []string{"p50", "tps"}},

		{"eight of ten clients", result.FlagWarmup, func(_ *result.Cell, r *result.Repeat) {
			r.Measured.ClientsReady = 8
		}, bounds{"p50": {0.8, 1.25}, "tps": {0.8, 1.25}}, nil},
		{"no client", result.FlagWarmup, func(_ *result.Cell, r *result.Repeat) { r.Measured.ClientsReady = 0 }, nil,
			[]string{"tps", "p50"}},

		{"the server counted a quarter more", result.FlagCounts, func(_ *result.Cell, r *result.Repeat) {
			r.Counts = []result.Count{{K6: 200, Server: 200, Equal: true}, {K6: 100, Server: 127, Unsure: 2}}
		}, bounds{"tps": {0.8, 1.25}, "errors": {0.8, 1.25}, "p50": {0.875, 1.1563}}, []string{"p95"}},
		{"k6 counted some, the server none", result.FlagCounts, func(_ *result.Cell, r *result.Repeat) {
			r.Counts = []result.Count{{K6: 200}}
		}, nil, []string{"tps", "errors"}},

		{"the host is full", result.FlagHost, func(*result.Cell, *result.Repeat) {}, nil, []string{"tps", "p50"}},
		{"k6 is full", result.FlagGenerator, func(*result.Cell, *result.Repeat) {}, nil, []string{"tps", "p50"}},
		{"too few", result.FlagFew, func(*result.Cell, *result.Repeat) {}, nil, []string{"tps", "p50"}},
		{"uncounted", result.FlagUncounted, func(*result.Cell, *result.Repeat) {}, nil, []string{"tps", "p50"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, r := doubtful()
			test.change(c, r)
			r.Flags = []result.Flag{{Kind: test.kind}, {Kind: test.kind}} // the same twice is no more than once
			got := Bounds(c, r)
			for name, want := range test.want {
				if b, ok := got[name]; !ok || math.Abs(b.Lo()-want.Lo()) > 2e-4 || math.Abs(b.Hi()-want.Hi()) > 2e-4 {
					t.Errorf("%s is within %v (%v), it should be %v", name, b, ok, want)
				}
			}
			for _, name := range test.none {
				if b, ok := got[name]; ok {
					t.Errorf("%s is within %v, and nobody knows", name, b)
				}
			}
			for name, b := range got {
				if b.Lo() > 1 || b.Hi() < 1 {
					t.Errorf("%s is within %v, which leaves out what was measured", name, b)
				}
			}
		})
	}
}

// Two flags at once may both have been at work; one without a bound takes it from all.
func TestBoundsOfSeveralFlags(t *testing.T) {
	c, r := doubtful()
	r.RoundTrip.MeasuredMS, r.Measured.ClientsReady = 6.75, 8
	r.Flags = []result.Flag{{Kind: result.FlagLatency}, {Kind: result.FlagWarmup}}
	if b := Bounds(c, r)["tps"]; math.Abs(b.Lo()-0.8) > 2e-4 || math.Abs(b.Hi()-1.35*1.25) > 2e-4 {
		t.Errorf("TPS is within %v", b)
	}
	r.Flags = append(r.Flags, result.Flag{Kind: result.FlagHost})
	if b, ok := Bounds(c, r)["tps"]; ok {
		t.Errorf("on a full host TPS is within %v", b)
	}
	if Bounds(c, &result.Repeat{Measured: r.Measured}) != nil {
		t.Error("a repeat without flags has bounds")
	}
}

// A single time says nothing of how long the same would have taken without a stop.
func TestBoundOfASingleTime(t *testing.T) {
	c, r := doubtful()
	r.Measured.FirstConnects = map[string]result.Trend{"pg_connect": {Count: 1, Min: 9, Avg: 9, Med: 9, Max: 9}}
	r.Measured.Late, r.Flags = 20, []result.Flag{{Kind: result.FlagLate}}
	if b := Bounds(c, r)["first_connect"]; b != (result.Bound{0, 1}) {
		t.Errorf("the first connect is within %v", b)
	}
}

// A figure is starred where a flag can have moved it by more than a little, or nobody knows by how much.
func TestStars(t *testing.T) {
	for name, test := range map[string]struct {
		bounds  map[string]result.Bound
		starred bool
		doubted bool
		bounded bool
	}{
		"no bound":      {nil, true, true, false},
		"far":           {map[string]result.Bound{"p50": {0.5, 1}}, true, true, true},
		"a little":      {map[string]result.Bound{"p50": {0.96, 1.04}}, false, true, true},
		"not at all":    {map[string]result.Bound{"p50": {1, 1}}, false, false, true},
		"of another":    {map[string]result.Bound{"p95": {1, 1}}, true, true, false},
		"too low a lot": {map[string]result.Bound{"p50": {1, 1.2}}, true, true, true},
	} {
		c, r := doubtful()
		r.Flags, r.Bounds = []result.Flag{{Kind: result.FlagThrottled}}, test.bounds
		c.Repeats = []result.Repeat{*r}
		f, _ := Find("p50")
		if got := len(f.Flags(c)) > 0; got != test.starred {
			t.Errorf("%s: starred: %v", name, got)
		}
		if got := len(f.Doubts(c)) > 0; got != test.doubted {
			t.Errorf("%s: doubted: %v", name, got)
		}
		if _, got := f.Bound(c); got != test.bounded {
			t.Errorf("%s: bounded: %v", name, got)
		}
	}
}

// The least ratio is of the least to the most.
func TestSeries(t *testing.T) {
	cell := func(tps float64, b result.Bound) *result.Cell {
		return &result.Cell{Repeats: []result.Repeat{{Block: 1, Status: result.OK, Bounds: map[string]result.Bound{"tps": b},
			Measured: &result.Measured{Transactions: 1, TPS: tps}, Flags: []result.Flag{{Kind: result.FlagLate}}}}}
	}
	f, _ := Find("tps")
	a, b := cell(100, result.Bound{0.8, 1}), cell(50, result.Bound{1, 1.25})
	for name, test := range map[string]struct{ got, want value }{
		"each":       {at0(f.Each(a)), value{100, 80, 100}},
		"ratio":      {at0(f.EachRatio(a, b)), value{2, 1.28, 2}},
		"difference": {at0(f.EachDifference(a, b)), value{50, 17.5, 50}},
	} {
		if test.got != test.want {
			t.Errorf("%s: %+v, it should be %+v", name, test.got, test.want)
		}
	}
	if s := f.EachRatio(a, cell(50, result.Bound{0, 1})); !math.IsInf(s.Most[0], 1) {
		t.Errorf("the ratio to what may be 0 is at most %v", s.Most[0])
	}
}

// at0 is a series' first number.
func at0(s Series) value { return value{s.Measured[0], s.Least[0], s.Most[0]} }
