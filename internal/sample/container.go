package sample

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"pooler-lab/internal/topology"
)

// A containerSample is what Docker's stats API says of one container. Counts are since it started.
type containerSample struct {
	at                 time.Time
	cpu                time.Duration
	periods, throttled int64 // of its CPU limit; no periods where it has none
	memory             int64 // anonymous plus shared bytes: page cache is nobody's need
}

// stats is the part of Docker's answer that is used. cgroup v1 names memory total_rss and total_shmem, v2 anon
// and shmem.
type stats struct {
	Read time.Time `json:"read"` // when the numbers were taken
	CPU  struct {
		Usage struct {
			Total int64 `json:"total_usage"` // nanoseconds
		} `json:"cpu_usage"`
		Throttling struct {
			Periods   int64 `json:"periods"`
			Throttled int64 `json:"throttled_periods"`
		} `json:"throttling_data"`
	} `json:"cpu_stats"`
	Memory struct {
		Stats struct {
			Anon     int64 `json:"anon"`
			Shmem    int64 `json:"shmem"`
			OldRSS   int64 `json:"total_rss"`
			OldShmem int64 `json:"total_shmem"`
		} `json:"stats"`
	} `json:"memory_stats"`
}

// sample is what is kept of it.
func (s *stats) sample() containerSample {
	memory := s.Memory.Stats.Anon + s.Memory.Stats.Shmem
	if memory == 0 {
		memory = s.Memory.Stats.OldRSS + s.Memory.Stats.OldShmem
	}
	return containerSample{at: s.Read, cpu: time.Duration(s.CPU.Usage.Total), memory: memory,
		periods: s.CPU.Throttling.Periods, throttled: s.CPU.Throttling.Throttled}
}

func readStats(ctx context.Context, d topology.Docker, service string) (containerSample, error) {
	var s stats
	err := get(ctx, d, service, "stats", "?stream=false&one-shot=true", &s)
	return s.sample(), err
}

// get reads what Docker says of a service's container.
func get(ctx context.Context, d topology.Docker, service, what, query string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	answer, err := d.Ask(ctx, http.MethodGet, "/containers/"+d.Container(service)+"/"+what+query, nil)
	var refused *topology.RefusedError
	switch {
	case errors.As(err, &refused):
		err = errors.New(refused.Status)
	case err == nil:
		err = json.Unmarshal(answer, into)
	}
	if err != nil {
		return fmt.Errorf("ask for the %s of %s: %w", what, service, err)
	}
	return nil
}

// A Limit is what a container may use of the machine. 0 is no limit.
type Limit struct {
	CPUs        float64
	MemoryBytes int64
}

// ReadLimit asks Docker for the limits of a service's container.
func ReadLimit(ctx context.Context, d topology.Docker, service string) (Limit, error) {
	// Docker's own names, of which configs/haproxy lets these through. A CPU limit is one number, or a quota of
	// microseconds in each period.
	var said struct{ NanoCPUs, CPUQuota, CPUPeriod, Memory float64 }
	if err := get(ctx, d, service, "limits", "", &said); err != nil {
		return Limit{}, err
	}
	limit := Limit{CPUs: said.NanoCPUs / 1e9, MemoryBytes: int64(said.Memory)}
	if limit.CPUs == 0 && said.CPUPeriod > 0 {
		limit.CPUs = max(0, said.CPUQuota/said.CPUPeriod)
	}
	return limit, nil
}
