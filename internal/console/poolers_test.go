package console

import (
	"slices"
	"testing"
	"time"
)

func TestSelectRates(t *testing.T) {
	tests := []struct {
		name          string
		before, after []int64
		want          []float64
	}{
		{"the first reading", nil, []int64{7, 8}, nil},
		{"half a second later", []int64{7, 8}, []int64{17, 8}, []float64{20, 0}},
		{"after a restart", []int64{7, 8}, []int64{0, 9}, nil},
		{"a pooler that doesn't count", nil, nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := selectRates(test.before, test.after, 500*time.Millisecond); !slices.Equal(got, test.want) {
				t.Errorf("%v a second, it should be %v", got, test.want)
			}
		})
	}
}
