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
	"headlines": [{"name": "c", "says": "s", "figure": "connect", "of": {"path": "pgpool", "latency_ms": null}, "to": {"path": "direct", "latency_ms": null}}]
}`

func TestParse(t *testing.T) {
	l, err := parse(inspected(tour))
	if err != nil {
		t.Fatal(err)
	}
	connect, tps := l.Experiments[0], l.Experiments[1]
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
		{"an unknown role", string(inspected(group(`, "roles": ["app", "postgres"]`))), `role is "postgres", allowed are app, app_clear, app_trust`},
		{"no pool", string(inspected(group(`, "pool_sizes": [0]`))), "pool_sizes is 0, allowed are 1 to 1000"},
		{"too large a pool", string(inspected(group(`, "pool_sizes": [20, 1001]`))), "pool_sizes is 1001"},
		{"no pods", string(inspected(group(`, "pods": [0]`))), "pods is 0"},
		{"pods without clients", string(inspected(group(`, "pods": [2]`))), "pods is 2 and clients 1"},
		{"a pod without a pool", string(inspected(group(`, "pods": [1], "pod_pools": [0]`))), "pod_pools is 0"},
		{"negative work", string(inspected(group(`, "transactions": -1`))), "transactions is -1"},
		{"paced work", string(inspected(group(`, "transactions": 5, "rate": 2`))), "exclude each other"},
		{"bandwidth of nothing", string(inspected(group(`, "bandwidth_kb_s": 1000`))), "through toxiproxy"},
		{"negative bandwidth", string(inspected(group(`, "bandwidth_kb_s": -1`))), "bandwidth_kb_s is -1"},
		{"replication from yesterday", string(inspected(group(`, "replication_ms": 60001`))), "replication_ms is 60001"},
		{"settings of a stranger", string(inspected(group(`, "settings": {"pgpool": {"x": "1"}}`))), `settings are of "pgpool"`},
		{"settings that aren't one", string(inspected(group(`, "settings": {"primary": {"a b": "1"}}`))), `"a b" is no name`},
		{"settings with more in them", string(inspected(group(`, "settings": {"primary": {"a": "1; SHUTDOWN"}}`))), "a plain value is needed"},
		{"a pool's size as a setting", string(inspected(group(`, "settings": {"pgbouncer": {"default_pool_size": "5"}}`))), "what pool_sizes is for"},
		{"another primary", string(inspected(group(`, "settings": {"standby": {"primary_conninfo": "host=x"}}`))), "see replication_ms"},
		{"params that are a list", string(inspected(group(`, "params": [1]`))), "params is [1], an object is needed"},
		{"negative looks", string(inspected(group(`, "waits_hz": -1`))), "waits_hz is -1"},
		{"a full size without needs", string(inspected(group(`, "full": {"seconds": 60}`))), "full is missing"},
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

func TestFull(t *testing.T) {
	text := inspected(strings.Replace(tour, `"minutes": 2,`, `"minutes": 2, "full": {"minutes": 20, "max_connections": 4100},`, 1))
	text = []byte(strings.Replace(string(text), `"repeats": 6}`, `"repeats": 6, "settings": {"primary": {"a": "1"}},
		"full": {"clients": [500], "settings": {"primary": {"b": "2"}}}},
		{"name": "crowd", "workload": "select", "paths": ["direct"], "latencies": [null], "clients": [4000], "seconds": 9, "full_only": true}`, 1))
	tests := []struct {
		name     string
		override Override
		groups   int
		clients  int // of the group tps
		setting  string
	}{
		{"without it the lesson is as it was", Override{}, 2, 1, "a"},
		{"it changes what it says", Override{Full: true}, 3, 500, "b"},
		{"the command line changes that", Override{Full: true, Clients: []int{7}}, 3, 7, "b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, err := parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Apply(test.override); err != nil {
				t.Fatal(err)
			}
			g := l.Experiments[1]
			if _, set := g.Settings["primary"][test.setting]; len(l.Experiments) != test.groups || g.Clients[0] != test.clients || !set || len(g.Settings["primary"]) != 1 || g.Repeats != 6 {
				t.Errorf("%d groups, the second is %+v", len(l.Experiments), g)
			}
		})
	}
	l, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Apply(Override{Experiments: []string{"crowd"}}); err == nil || !strings.Contains(err.Error(), "add --full") {
		t.Errorf("a group of the full size alone: %v", err)
	}
	for wrong, want := range map[string]string{`"clients": [0]`: "in full size: group \"tps\": clients is 0", `"clinets": [5]`: "clinets", `"name": "x"`: "can't change name"} {
		if _, err := parse([]byte(strings.Replace(string(text), `"clients": [500]`, wrong, 1))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a full of %s: %v", wrong, err)
		}
	}
}
