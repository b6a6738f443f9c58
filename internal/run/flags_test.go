package run

import (
	"slices"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

func TestFlags(t *testing.T) {
	is := func(v float64) *float64 { return &v }
	tests := []struct {
		name   string
		change func(*lesson.Cell, *result.Repeat)
		want   []string
	}{
		{"nothing is wrong", func(*lesson.Cell, *result.Repeat) {}, nil},
		{"other machines take the CPU", func(_ *lesson.Cell, r *result.Repeat) { r.Resources.Stolen = is(0.1) }, []string{"stolen"}},
		{"the host is full", func(_ *lesson.Cell, r *result.Repeat) { r.Resources.HostCPU = is(0.95) }, []string{"host"}},
		{"k6 is full", func(_ *lesson.Cell, r *result.Repeat) { r.Resources.GeneratorCPU = is(0.9) }, []string{"generator"}},
		{"one late iteration in a hundred is none", func(_ *lesson.Cell, r *result.Repeat) { r.Measured.Late = 1 }, nil},
		{"late and dropped add up", func(_ *lesson.Cell, r *result.Repeat) { r.Measured.Late, r.Measured.Dropped = 1, 1 }, []string{"late"}},
		{"too few", func(_ *lesson.Cell, r *result.Repeat) { r.Measured.Transactions = 9 }, []string{"few"}},
		{"a client isn't ready", func(c *lesson.Cell, _ *result.Repeat) { c.Clients = 11 }, []string{"warm-up"}},
		{"1.5 ms of 10 are allowed", func(_ *lesson.Cell, r *result.Repeat) { r.RoundTrip.MeasuredMS = 11.5 }, nil},
		{"more are not", func(_ *lesson.Cell, r *result.Repeat) { r.RoundTrip.MeasuredMS = 11.6 }, []string{"latency"}},
		{"too little either", func(_ *lesson.Cell, r *result.Repeat) { r.RoundTrip.MeasuredMS = 8.4 }, []string{"latency"}},
		{"a tenth of 100 ms is allowed", func(_ *lesson.Cell, r *result.Repeat) { r.RoundTrip = &result.RoundTrip{SetMS: 100, MeasuredMS: 109} }, nil},
		{"counts differ", func(_ *lesson.Cell, r *result.Repeat) { r.Counts[0].Equal = false }, []string{"counts"}},
		{"counts may differ where something failed", func(_ *lesson.Cell, r *result.Repeat) {
			r.Counts[0].Equal, r.Measured.Errors = false, []result.Error{{Code: "57P01", Count: 1}}
		}, []string{"errors"}},
		{"nobody could count", func(_ *lesson.Cell, r *result.Repeat) { r.Uncounted = "down" }, []string{"uncounted"}},
		{"throttled in an open loop", func(c *lesson.Cell, r *result.Repeat) { c.Rate, r.Resources.Containers[0].Stops = 40, 2 }, []string{"throttled"}},
		{"one stop in a short window is not", func(c *lesson.Cell, r *result.Repeat) { c.Rate, r.Resources.Containers[0].Stops = 40, 1 }, nil},
		{"throttled at capacity is what a limit is for", func(_ *lesson.Cell, r *result.Repeat) { r.Resources.Containers[0].Stops = 9 }, nil},
		{"nothing was sampled", func(_ *lesson.Cell, r *result.Repeat) { r.Resources = nil }, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cell := lesson.Cell{Clients: 10}
			repeat := result.Repeat{RoundTrip: &result.RoundTrip{SetMS: 10, MeasuredMS: 10.6}, Counts: []result.Count{{Equal: true}},
				Measured:  &result.Measured{WindowSeconds: 1.1, Transactions: 100, ClientsReady: 10},
				Resources: &result.Resources{HostCPU: is(0.9), GeneratorCPU: is(0.5), Containers: []result.Container{{Service: "primary"}}}}
			test.change(&cell, &repeat)
			repeat.Flags = flags(cell, &repeat)
			if kinds := flagKinds(repeat); !slices.Equal(kinds, test.want) {
				t.Errorf("flagged %v, it should be %v", kinds, test.want)
			}
		})
	}
}
