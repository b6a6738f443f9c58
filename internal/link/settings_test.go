package link

import (
	"strings"
	"testing"

	"pooler-lab/internal/wan"
)

func TestMilliseconds(t *testing.T) {
	cases := []struct {
		text  string
		want  float64
		wrong string
	}{
		{"10", 10, ""},
		{"10ms", 10, ""},
		{"0.01s", 10, ""},
		{"0", 0, ""},
		{"1s", 1000, ""},
		{"10m", 600_000, ""},
		{"+5ms", 5, ""},
		{"1.5ms", 1.5, ""},
		{"1.5", 1.5, ""},
		{"500us", 0.5, ""},
		{"100us", 0.1, ""},
		{"0.0005ms", 0, "0.0005ms isn't a whole number of microseconds, and toxiproxy knows no others"},
		{"-5ms", 0, "-5ms is negative"},
		{"11m", 0, "11m is more than 10 minutes, the most a link may add; cut it instead"},
		{"1e9", 0, `"1e9" is no latency: say 10ms, 10 or 500us`},
		{"10 ms", 0, `"10 ms" is no latency`},
		{"10msec", 0, `"10msec" is no latency`},
		{"", 0, `"" is no latency`},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			got, err := parseMS(c.text)
			if c.wrong == "" && (err != nil || got != c.want) {
				t.Errorf("got %g, %v; want %g", got, err, c.want)
			}
			if c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("\ngot  %v\nwant %s", err, c.wrong)
			}
		})
	}
}

func TestCheckOfSettings(t *testing.T) {
	for _, right := range []Settings{{}, {LatencyMS: 600000},
		{LatencyMS: 5, JitterMS: 5, DownKBps: 1, UpKBps: wan.Fastest}} {
		if err := right.Check(); err != nil {
			t.Errorf("%+v: %v", right, err)
		}
	}
	for _, wrong := range []Settings{
		{LatencyMS: -1},
		{LatencyMS: 600001},
		{JitterMS: 1},
		{LatencyMS: 1, JitterMS: -1},
		{DownKBps: -1},
		{UpKBps: wan.Fastest + 1},
	} {
		if wrong.Check() == nil {
			t.Errorf("%+v was let through", wrong)
		}
	}
}

func TestLatencyWithJitter(t *testing.T) {
	for text, want := range map[string]Settings{"10ms±3ms": {LatencyMS: 10, JitterMS: 3},
		"10±0.5": {LatencyMS: 10, JitterMS: 0.5}, "10+-3": {LatencyMS: 10, JitterMS: 3}, "500us": {LatencyMS: 0.5}} {
		if got, err := parseLatency(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	if _, err := parseLatency("10±x"); err == nil {
		t.Error("10±x was let through")
	}
}
