package trial

import (
	"slices"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// eventful makes the cell one of forty attempts a second, with an event one second after the window's beginning, which
// takes a second and leaves them two.
func eventful(c *lesson.Cell, r *result.Repeat) {
	c.Rate, c.Seconds, c.Events = 40, 3, []lesson.Event{{At: 1, Do: "kill primary"}}
	r.Events = []result.Event{{Event: c.Events[0], Began: 1.02, Ended: 2}}
	r.Measured.WindowSeconds = 4.1
	r.Ledger = &result.Ledger{StepSeconds: 0.1, Succeeded: make([]int, 41), Failed: make([]int, 41)}
	for i := range 10 {
		r.Ledger.Succeeded[i] = 4
	}
}

func TestFlags(t *testing.T) {
	is := func(v float64) *float64 { return &v }
	type c = *lesson.Cell
	type r = *result.Repeat
	rising := []int64{60, 70, 75, 80, 88, 90, 96, 99, 110, 120}
	tests := []struct {
		name   string
		change func(c, r)
		want   []string
	}{
		{"nothing is wrong", func(c, r) {}, nil},
		{"other machines take the CPU", func(_ c, r r) { r.Resources.Stolen = is(0.1) }, []string{"stolen"}},
		{"the host is full", func(_ c, r r) { r.Resources.HostCPU = is(0.95) }, []string{"host"}},
		{"k6 is full", func(_ c, r r) { r.Resources.GeneratorCPU = is(0.9) }, []string{"generator"}},
		{"one late iteration in a hundred is none", func(_ c, r r) { r.Measured.Late = 1 }, nil},
		{"late and dropped add up", func(_ c, r r) { r.Measured.Late, r.Measured.Dropped = 1, 1 }, []string{"late"}},
		{"too few", func(_ c, r r) { r.Measured.Transactions = 9 }, []string{"few"}},
		{"a client isn't ready", func(c c, _ r) { c.Clients = 11 }, []string{"warm-up"}},
		{"1.5 ms of 10 are allowed", func(_ c, r r) { r.RoundTrip.MeasuredMS = 11.5 }, nil},
		{"more are not", func(_ c, r r) { r.RoundTrip.MeasuredMS = 11.6 }, []string{"latency"}},
		{"too little either", func(_ c, r r) { r.RoundTrip.MeasuredMS = 8.4 }, []string{"latency"}},
		{"a tenth of 100 ms is allowed",
			func(_ c, r r) { r.RoundTrip = &result.RoundTrip{SetMS: 100, MeasuredMS: 109} }, nil},
		{"counts differ", func(_ c, r r) { r.Counts[0].Equal = false }, []string{"counts"}},
		{"counts may differ where something failed", func(_ c, r r) {
			r.Counts[0].Equal, r.Measured.Errors = false, []result.Error{{Code: "57P01", Count: 1}}
		}, []string{"errors"}},
		{"nobody could count", func(_ c, r r) { r.Uncounted = "down" }, []string{"uncounted"}},
		{"throttled in an open loop", func(c c, r r) { c.Rate, r.Resources.Containers[0].Stops = 40, 2 },
			[]string{"throttled"}},
		{"one stop in a short window is not", func(c c, r r) { c.Rate, r.Resources.Containers[0].Stops = 40, 1 }, nil},
		{"throttled at capacity is what a limit is for", func(_ c, r r) { r.Resources.Containers[0].Stops = 9 }, nil},
		{"the rate rises in its window", func(_ c, r r) { r.Measured.Tenths = rising }, []string{"drift"}},
		{"it falls", func(_ c, r r) {
			r.Measured.Tenths = slices.Clone(rising)
			slices.Reverse(r.Measured.Tenths)
		}, []string{"drift"}},
		{"it rises by less than a tenth", func(_ c, r r) {
			r.Measured.Tenths = []int64{100, 101, 102, 103, 104, 105, 106, 107, 108, 109}
		}, nil},
		{"it goes up and down", func(_ c, r r) {
			r.Measured.Tenths = []int64{100, 150, 90, 140, 80, 120, 150, 70, 110, 140}
		}, nil},
		{"an open loop has the rate that it is given", func(c c, r r) { c.Rate, r.Measured.Tenths = 40, rising }, nil},
		{"fixed work begins with connecting", func(c c, r r) { c.Transactions, r.Measured.Tenths = 9, rising }, nil},
		{"events in time", func(c c, r r) { eventful(c, r) }, nil},
		{"an event that came late", func(c c, r r) { eventful(c, r); r.Events[0].Began += 0.6 }, []string{"late"}},
		{"a window that closed late", func(c c, r r) { eventful(c, r); r.Measured.WindowSeconds += 0.6 }, []string{"late"}},
		{"clients that began late", func(c c, r r) { eventful(c, r); clear(r.Ledger.Succeeded[2:8]) }, []string{"late"}},
		{"what fails with an event is the event's", func(c c, r r) {
			eventful(c, r)
			r.Measured.Errors = []result.Error{{Code: "57P01", Count: 9}}
		}, nil},
		{"nothing was sampled", func(_ c, r r) { r.Resources = nil }, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cell := lesson.Cell{Clients: 10}
			repeat := result.Repeat{RoundTrip: &result.RoundTrip{SetMS: 10, MeasuredMS: 10.6},
				Counts:   []result.Count{{Equal: true}},
				Measured: &result.Measured{WindowSeconds: 1.1, Transactions: 100, ClientsReady: 10},
				Resources: &result.Resources{HostCPU: is(0.9), GeneratorCPU: is(0.5),
					Containers: []result.Container{{Service: "primary"}}}}
			test.change(&cell, &repeat)
			repeat.Flags = Flags(cell, &repeat)
			if kinds := flagKinds(repeat); !slices.Equal(kinds, test.want) {
				t.Errorf("flagged %v, it should be %v", kinds, test.want)
			}
		})
	}
}

func flagKinds(r result.Repeat) []string {
	var kinds []string
	for _, f := range r.Flags {
		kinds = append(kinds, string(f.Kind))
	}
	slices.Sort(kinds)
	return kinds
}
