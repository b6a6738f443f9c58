package metric

import (
	"math"
	"testing"
)

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.0523: "0.052", 5.2371: "5.24", 52.37: "52.4", 523.7: "524",
		11642.4: "11642", math.Inf(1): "to the end"} {
		if got := Number(v); got != want {
			t.Errorf("%v is written %s, it should be %s", v, got, want)
		}
	}
}

func TestRatioText(t *testing.T) {
	for v, want := range map[float64]string{0: "0.00", 0.00042: "0.00042", 0.0041: "0.004", 0.0523: "0.052", 0.52: "0.52",
		1.236: "1.24", 20: "20.00"} {
		if got := RatioText(v); got != want {
			t.Errorf("the ratio %v is written %s, it should be %s", v, got, want)
		}
	}
}

func TestTextOfACount(t *testing.T) {
	starved := found(t, "starved")
	tps := found(t, "tps")
	for _, test := range []struct {
		metric Metric
		v      float64
		want   string
	}{{starved, 0, "0"}, {starved, 2.5, "2.50"}, {tps, 3, "3.00"}} {
		if got := test.metric.Text(test.v); got != test.want {
			t.Errorf("%v of %s is written %s, it should be %s", test.v, test.metric.Name, got, test.want)
		}
	}
}
