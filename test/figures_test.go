package test

import (
	"bufio"
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"
)

// BenchmarkIdleLab is what the lab costs while nothing happens.
func BenchmarkIdleLab(t *testing.B) {
	t.Log("images: " + strings.ReplaceAll(docker(t, "images", "--filter", "reference=pooler-lab*", "--format",
		"{{.Repository}} {{.Size}}"), "\n", ", "))

	services := composed(t)
	const watched = 20 * time.Second
	before := map[string]usage{}
	for _, service := range services {
		before[service] = usageOf(t, service)
	}
	time.Sleep(watched)
	var memory, cpu float64
	for _, service := range services {
		now := usageOf(t, service)
		share := (now.cpu - before[service].cpu).Seconds() / watched.Seconds()
		t.Logf("idle: %-16s %6.1f MB  %5.2f %% of a core", service, now.megabytes, share*100)
		if service != "yugabyte" {
			memory, cpu = memory+now.megabytes, cpu+share
		}
	}
	figure(t, "memory of the idle lab, without YugabyteDB", memory, " MB", math.Inf(-1), 600)
	figure(t, "CPU of the idle lab, of one core", cpu*100, " %", math.Inf(-1), 5)
}

// usage is what a container has used so far.
type usage struct {
	cpu       time.Duration
	megabytes float64 // anonymous plus shared memory: the page cache isn't the lab's
}

// usageOf asks the proxy for Docker's statistics, as the lab does.
func usageOf(t testing.TB, service string) usage {
	t.Helper()
	text := ask(t, request("GET /containers/"+container(service)+"/stats"+statsQuery))
	response, err := http.ReadResponse(bufio.NewReader(strings.NewReader(text)), nil)
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		CPU struct {
			Usage struct {
				Total int64 `json:"total_usage"` // ns
			} `json:"cpu_usage"`
		} `json:"cpu_stats"`
		Memory struct {
			Stats map[string]float64 `json:"stats"`
		} `json:"memory_stats"`
	}
	if err := json.NewDecoder(response.Body).Decode(&said); err != nil || said.CPU.Usage.Total == 0 {
		t.Fatalf("Docker has no figures for %s: %v\n%s", service, err, text)
	}
	s := said.Memory.Stats // cgroups v1 and v2 name them differently
	bytes := s["total_rss"] + s["total_shmem"] + s["anon"] + s["shmem"]
	return usage{time.Duration(said.CPU.Usage.Total), bytes / 1e6}
}
