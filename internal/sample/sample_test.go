package sample

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

func TestStats(t *testing.T) {
	const cpu = `"read": "2026-11-21T16:10:07.5Z", "cpu_stats": {"cpu_usage": {"total_usage": 1500000000},
		"throttling_data": {"periods": 20, "throttled_periods": 5, "throttled_time": 9}}`
	tests := []struct {
		name, body string
		memory     int64
	}{
		{"cgroup v2", `{` + cpu + `, "memory_stats": {"usage": 9999, "stats": {"anon": 300, "shmem": 20, "file": 5000}}}`,
			320},
		{"cgroup v1", `{` + cpu + `, "memory_stats": {"usage": 9999, "stats": {"total_rss": 200, "total_shmem": 10,
			"total_cache": 5000, "hierarchical_memory_limit": 18446744073709551615}}}`, 210},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var said stats
			testkit.OK(t, json.Unmarshal([]byte(test.body), &said))
			s := said.sample()
			if s.memory != test.memory || s.cpu != 1500*time.Millisecond || s.periods != 20 || s.throttled != 5 ||
				s.at.IsZero() {
				t.Errorf("read as %+v", s)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	start := time.Now()
	at := func(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }
	var samples []shared.HostCPU
	for i := range 6 {
		samples = append(samples, shared.HostCPU{At: at(float64(i))})
	}
	tests := []struct {
		name        string
		from, to    float64
		first, last int
		ok          bool
	}{
		{"between ticks", 1.4, 3.6, 1, 4, true},
		{"on ticks", 2, 4, 2, 4, true},
		{"beyond both ends", -5, 50, 0, 5, true},
		{"within one tick", 2.1, 2.2, 0, 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			first, last, ok := nearest(samples, hostTime, at(test.from), at(test.to))
			if ok != test.ok || ok && (first != test.first || last != test.last) {
				t.Errorf("samples %d to %d (%v), they should be %d to %d (%v)", first, last, ok, test.first, test.last, test.ok)
			}
		})
	}
}

func TestSince(t *testing.T) {
	start := time.Now()
	samples := []shared.HostCPU{{At: start}, {At: start.Add(time.Second)}, {At: start.Add(2 * time.Second)}}
	if kept := since(samples, hostTime, start.Add(time.Second)); len(kept) != 2 ||
		!kept[0].At.Equal(start.Add(time.Second)) {
		t.Errorf("kept %v", kept)
	}
}

func TestSumUp(t *testing.T) {
	start := time.Now()
	samples := []containerSample{
		{at: start, cpu: time.Second, periods: 10, throttled: 2, memory: 1 << 20},
		{at: start.Add(time.Second), cpu: 2 * time.Second, periods: 15, throttled: 4, memory: 5 << 20},
		{at: start.Add(2 * time.Second), cpu: 2 * time.Second, periods: 20, throttled: 7, memory: 3 << 20},
	}
	c := sumUp("primary", samples, start, start.Add(2*time.Second))
	if c.CPUs != 0.5 || c.Throttled == nil || *c.Throttled != 0.5 || c.Stops != 5 || c.MemoryMB != 5 {
		t.Errorf("summed up as %+v", c)
	}
	samples[2].periods = 10
	if c := sumUp("toxiproxy", samples, start, start.Add(2*time.Second)); c.Throttled != nil {
		t.Errorf("a container without a limit was throttled: %v", *c.Throttled)
	}
}

// The most memory is that within the window, even where the window is so short that one sample lies in it.
func TestMostMemory(t *testing.T) {
	start := time.Now()
	at := func(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }
	samples := []containerSample{{at: at(0), memory: 9 << 20}, {at: at(1), memory: 5 << 20}, {at: at(2), memory: 7 << 20}}
	for _, test := range []struct {
		name     string
		from, to float64
		mb       float64
	}{
		{"on its edges", 0, 2, 9},
		{"one sample within", 0.4, 1.9, 5},
		{"after the warm-up's peak", 0.4, 2.4, 7},
		{"none within", 1.1, 1.9, 9},
	} {
		t.Run(test.name, func(t *testing.T) {
			if c := sumUp("primary", samples, at(test.from), at(test.to)); c.MemoryMB != test.mb {
				t.Errorf("%v MB, it should be %v", c.MemoryMB, test.mb)
			}
		})
	}
}

// dockerStandIn answers as the stats proxy does, for the service that it knows.
func dockerStandIn(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/containers/lab-primary-1/stats" || r.URL.RawQuery != "stream=false&one-shot=true" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte(`{"read": "` + time.Now().Format(time.RFC3339Nano) +
			`", "memory_stats": {"stats": {"anon": 1048576}}}`))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// once returns what is summed up from now on once it is so.
func once(t *testing.T, s *Resources, services []string, so func(*result.Resources) bool) *result.Resources {
	t.Helper()
	var r *result.Resources
	from := time.Now()
	testkit.Until(t, "the figures are so", func() bool {
		r = s.Between(services, from.Add(-time.Second), from, time.Now())
		return so(r)
	})
	return r
}

func TestBetween(t *testing.T) {
	t.Parallel()
	s := NewResources(topology.Docker{URL: dockerStandIn(t), Project: "lab"}, []string{"primary", "standby"})
	defer s.Close()
	r := once(t, s, []string{"primary", "standby"}, func(r *result.Resources) bool {
		return r.HostCPU != nil && len(r.Containers) > 0 && r.NotMeasured != ""
	})
	if *r.HostCPU < 0 || *r.HostCPU > 1 {
		t.Errorf("the host's CPU is %v", *r.HostCPU)
	}
	if len(r.Containers) != 1 || r.Containers[0].Service != "primary" || r.Containers[0].MemoryMB != 1 {
		t.Errorf("the containers are %+v", r.Containers)
	}
	if !strings.Contains(r.NotMeasured, "standby") {
		t.Errorf("the reason for the missing one is %q", r.NotMeasured)
	}
}

func TestBetweenWithoutDocker(t *testing.T) {
	t.Parallel()
	s := NewResources(topology.Docker{URL: "http://127.0.0.1:1", Project: "lab"}, []string{"primary"})
	defer s.Close()
	r := once(t, s, []string{"primary"}, func(r *result.Resources) bool { return r.HostCPU != nil && r.NotMeasured != "" })
	if len(r.Containers) != 0 || !strings.Contains(r.NotMeasured, "refused") {
		t.Errorf("without Docker's stats: %+v", r)
	}
}
