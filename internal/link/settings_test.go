package link

import (
	"strings"
	"testing"
)

func TestMilliseconds(t *testing.T) {
	cases := []struct {
		text  string
		want  int
		wrong string
	}{
		{"10", 10, ""},
		{"10ms", 10, ""},
		{"0.01s", 10, ""},
		{"0", 0, ""},
		{"1s", 1000, ""},
		{"10m", 600_000, ""},
		{"+5ms", 5, ""},
		{"1.5ms", 0, "1.5ms isn't a whole number of milliseconds, and toxiproxy knows no others: say 1ms or 2ms"},
		{"1.5", 0, "1.5 isn't a whole number of milliseconds"},
		{"100us", 0, "100us isn't a whole number of milliseconds, and toxiproxy knows no others: say 0ms or 1ms"},
		{"-5ms", 0, "-5ms is negative"},
		{"11m", 0, "11m is more than 10 minutes, the most a link may add; cut it instead"},
		{"1e9", 0, `"1e9" is no latency: say 10ms, 10 or 0.01s`},
		{"10 ms", 0, `"10 ms" is no latency`},
		{"10msec", 0, `"10msec" is no latency`},
		{"", 0, `"" is no latency`},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			got, err := parseMS(c.text)
			if c.wrong == "" && (err != nil || got != c.want) {
				t.Errorf("got %d, %v; want %d", got, err, c.want)
			}
			if c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("\ngot  %v\nwant %s", err, c.wrong)
			}
		})
	}
}

func TestCheckOfSettings(t *testing.T) {
	for _, right := range []Settings{{}, {LatencyMS: 600000}, {LatencyMS: 5, JitterMS: 5, DownKBps: 1, UpKBps: fastest}} {
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
		{UpKBps: fastest + 1},
	} {
		if wrong.Check() == nil {
			t.Errorf("%+v was let through", wrong)
		}
	}
}
