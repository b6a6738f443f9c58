package metric

import (
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

func TestMissesAreOfWhatCanMiss(t *testing.T) {
	missed := []result.Error{{Code: "26000", Phase: "measure", Count: 25}, {Code: "26000", Phase: "warmup", Count: 99},
		{Code: "42P05", Phase: "measure", Count: 7}}
	for _, test := range []struct {
		name, protocol string
		done           int64
		errors         []result.Error
		want           float64
		measured       bool
	}{
		{"a quarter", "prepared", 75, missed, 0.25, true},
		{"none", "prepared", 75, nil, 0, true},
		{"all", "prepared", 0, missed, 1, true},
		{"nothing sent", "prepared", 0, nil, 0, false},
		{"nothing that could", "simple", 75, nil, 0, false},
	} {
		c := &result.Cell{Cell: lesson.Cell{Protocol: test.protocol}}
		r := &result.Repeat{Measured: &result.Measured{Transactions: test.done, Errors: test.errors}}
		f, _ := Find("prepared_misses")
		if got, ok := f.Of(c, r); ok != test.measured || got != test.want {
			t.Errorf("%s: %v (%v), not %v (%v)", test.name, got, ok, test.want, test.measured)
		}
	}
}
