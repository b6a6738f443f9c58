package lesson

import (
	"fmt"
	"strings"
	"testing"
)

// inspected is what k6 inspect prints of a lesson, as far as it matters here.
func inspected(lab string) []byte {
	return fmt.Appendf(nil, `{"vus": 1, "scenarios": {}, "ext": {"lab": %s}}`, lab)
}

const tour = `{
	"lesson": "00-tour", "title": "The tour", "question": "What does each path cost?", "explanation": "It depends.", "minutes": 2,
	"groups": [
		{"name": "connect", "workload": "connect", "paths": ["*"], "latencies": [null, 10], "clients": [1], "rate": 40, "seconds": 1.5, "protocol": "simple"},
		{"name": "tps", "workload": ["select", "tpcb"], "paths": ["direct", "pgpool"], "latencies": [null], "clients": [1, 10], "rate": 0, "seconds": 2, "warmup_seconds": 0.5, "repeats": 6}
	],
	"headlines": [{"compare": "connect"}]
}`

func TestParse(t *testing.T) {
	l, err := parse(inspected(tour))
	if err != nil {
		t.Fatal(err)
	}
	connect, tps := l.Groups[0], l.Groups[1]
	if connect.Repeats != 1 || connect.Latencies[0] != WithoutProxy || connect.Latencies[1] != Through(10) || connect.Protocol[0] != "simple" {
		t.Errorf("connect was read as %+v", connect)
	}
	if tps.Repeats != 6 || tps.Protocol[0] != "prepared" || len(tps.Workload) != 2 || tps.Warmup != 0.5 {
		t.Errorf("tps was read as %+v", tps)
	}
}

func TestParseRefuses(t *testing.T) {
	group := func(with string) string {
		return `{"lesson": "x", "title": "x", "question": "x?", "groups": [{"name": "g", "workload": "select", "paths": ["*"],
			"latencies": [null], "clients": [1], "seconds": 1` + with + `}]}`
	}
	tests := []struct{ name, inspected, want string }{
		{"a script that isn't a lesson", `{"vus": 1}`, "no options.ext.lab"},
		{"what is no JSON", `k6 is not installed`, "what k6 inspect printed"},
		{"a misspelt field", string(inspected(group(`, "secnods": 1`))), "secnods"},
		{"no groups", string(inspected(`{"lesson": "x", "title": "x", "question": "x?"}`)), "no groups"},
		{"no question", string(inspected(`{"lesson": "x", "title": "x"}`)), "question"},
		{"a negative rate", string(inspected(group(`, "rate": -1`))), "rate is -1"},
		{"no clients", string(inspected(group(`, "clients": [0]`))), "clients is 0"},
		{"half a millisecond", string(inspected(group(`, "latencies": [0.5]`))), "whole milliseconds"},
		{"an unknown protocol", string(inspected(group(`, "protocol": "binary"`))), `protocol is "binary"`},
		{"a name that isn't a file's", string(inspected(group(`, "name": "a/b"`))), "lower-case letters"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := parse([]byte(test.inspected))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, it should speak of %q", err, test.want)
			}
		})
	}
}

func TestParseLatency(t *testing.T) {
	for text, want := range map[string]Latency{"none": WithoutProxy, "0": Through(0), "10": Through(10), "10ms": Through(10)} {
		if got, err := ParseLatency(text); err != nil || got != want {
			t.Errorf("%q is read as %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "fast", "-1", "1.5", "10s", "60001"} {
		if _, err := ParseLatency(text); err == nil {
			t.Errorf("%q is taken for a latency", text)
		}
	}
}
