package sample

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
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

// docker reads containers' stats through the lab's read-only proxy of Docker's API.
type docker struct {
	url     string // such as http://docker-stats:2375
	project string // Compose's, which container names begin with
	client  http.Client
}

func (d *docker) read(ctx context.Context, service string) (containerSample, error) {
	url := fmt.Sprintf("%s/containers/%s-%s-1/stats?stream=false&one-shot=true", d.url, d.project, service)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return containerSample{}, fmt.Errorf("ask for the stats of %s: %w", service, err)
	}
	response, err := d.client.Do(request)
	if err != nil {
		return containerSample{}, fmt.Errorf("ask for the stats of %s: %w", service, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return containerSample{}, fmt.Errorf("ask for the stats of %s: %s", service, response.Status)
	}
	return parseContainer(response.Body)
}

func parseContainer(body io.Reader) (containerSample, error) {
	var s stats
	if err := json.NewDecoder(body).Decode(&s); err != nil {
		return containerSample{}, fmt.Errorf("read Docker's stats: %w", err)
	}
	memory := s.Memory.Stats.Anon + s.Memory.Stats.Shmem
	if memory == 0 {
		memory = s.Memory.Stats.OldRSS + s.Memory.Stats.OldShmem
	}
	return containerSample{at: s.Read, cpu: time.Duration(s.CPU.Usage.Total), memory: memory,
		periods: s.CPU.Throttling.Periods, throttled: s.CPU.Throttling.Throttled}, nil
}
