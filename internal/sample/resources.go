// Package sample watches what a repeat uses while k6 runs: the host's CPU, and CPU, throttling and memory of the
// containers on its path; and what its databases and its pooler say of sessions, waits and queues meanwhile.
package sample

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
)

// How often the sampler samples. A sample of the host is one file, of a container one request to Docker: Engine 20.10
// answers it at the next of its own ticks, a second apart, newer ones at once.
const (
	hostEvery      = 250 * time.Millisecond
	containerEvery = 500 * time.Millisecond
	askTimeout     = 5 * time.Second
	// near is how far from a moment a sample may lie: half of the older engines' tick.
	near = 500 * time.Millisecond
	// endWait is how long to wait for a container's sample near a repeat's end.
	endWait = 2 * near
)

// Resources samples what the host and, where Docker's stats can be had, containers use, from NewResources until Close.
type Resources struct {
	docker topology.Docker
	stop   context.CancelFunc
	done   sync.WaitGroup

	mu         sync.Mutex
	host       []shared.HostCPU
	containers map[string][]containerSample
	trouble    string // why containers aren't measured, or the last thing that went wrong
}

// NewResources starts to sample the host, and the containers of services by what Docker says. Without an answer from
// there containers are not measured, and every summary says why.
func NewResources(docker topology.Docker, services []string) *Resources {
	ctx, stop := context.WithCancel(context.Background())
	s := &Resources{stop: stop, containers: map[string][]containerSample{}, docker: docker}
	s.done.Go(func() { shared.Every(ctx, hostEvery, s.sampleHost) })
	for _, service := range services {
		s.done.Go(func() { shared.Every(ctx, containerEvery, func() { s.sampleContainer(ctx, service) }) })
	}
	return s
}

// Close ends the watch.
func (s *Resources) Close() {
	s.stop()
	s.done.Wait()
}

func (s *Resources) sampleHost() {
	now, err := shared.ReadHostCPU()
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.host = append(s.host, now)
}

func (s *Resources) sampleContainer(ctx context.Context, service string) {
	now, err := readStats(ctx, s.docker, service)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.containers[service] = append(s.containers[service], now)
	} else if ctx.Err() == nil {
		s.trouble = err.Error()
	}
}

// Between sums up what the host and the containers of services used from one moment to another, as closely as
// there are samples, but none from before earliest, when something else was going on; it forgets those. It waits a
// moment for samples near the end.
func (s *Resources) Between(services []string, earliest, from, to time.Time) *result.Resources {
	_ = shared.Until(context.Background(), endWait, 20*time.Millisecond, func() (bool, error) {
		return !s.waitsFor(services, to), nil
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &result.Resources{Containers: []result.Container{}}
	s.host = since(s.host, hostTime, earliest)
	if i, j, ok := nearest(s.host, hostTime, from, to); ok {
		r.HostCPU, r.Stolen = s.host[j].Since(s.host[i]).Shares()
		r.Switches = switchRate(s.host[i], s.host[j])
	}
	for _, service := range services {
		samples := since(s.containers[service], containerSample.when, earliest)
		s.containers[service] = samples
		if i, j, ok := nearest(samples, containerSample.when, from, to); ok {
			r.Containers = append(r.Containers, sumUp(service, samples[i:j+1], from, to))
		}
	}
	if len(r.Containers) < len(services) {
		r.NotMeasured = s.trouble
		s.trouble = ""
	}
	return r
}

// switchRate is how many context switches a second there were between two samples, nil where no time passed.
func switchRate(from, to shared.HostCPU) *float64 {
	if !to.At.After(from.At) {
		return nil
	}
	v := float64(to.Switches-from.Switches) / to.At.Sub(from.At).Seconds()
	return &v
}

// waitsFor says whether some container that answers has no sample yet near to.
func (s *Resources) waitsFor(services []string, to time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(services, func(service string) bool {
		samples := s.containers[service]
		return len(samples) > 0 && samples[len(samples)-1].at.Before(to.Add(-near))
	})
}

func hostTime(s shared.HostCPU) time.Time { return s.At }
func (s containerSample) when() time.Time { return s.at }

// since returns the samples from earliest on.
func since[S any](samples []S, when func(S) time.Time, earliest time.Time) []S {
	return slices.DeleteFunc(samples, func(s S) bool { return when(s).Before(earliest) })
}

// nearest returns the sample nearest to from and the one nearest to to; not ok where that is one and the same.
func nearest[S any](samples []S, when func(S) time.Time, from, to time.Time) (first, last int, ok bool) {
	for i, s := range samples {
		if when(s).Sub(from).Abs() < when(samples[first]).Sub(from).Abs() {
			first = i
		}
		if when(s).Sub(to).Abs() <= when(samples[last]).Sub(to).Abs() {
			last = i
		}
	}
	return first, last, last > first
}

// sumUp is what a container used from its first sample to its last, and the most memory it held between two moments:
// the samples at the edges may lie outside, and count for memory only where there are none inside.
func sumUp(service string, samples []containerSample, from, to time.Time) result.Container {
	a, b := samples[0], samples[len(samples)-1]
	c := result.Container{Service: service, CPUs: (b.cpu - a.cpu).Seconds() / b.at.Sub(a.at).Seconds()}
	if b.periods > a.periods {
		throttled := float64(b.throttled-a.throttled) / float64(b.periods-a.periods)
		c.Throttled, c.Stops = &throttled, b.throttled-a.throttled
	}
	var inside, edges int64
	for _, s := range samples {
		edges = max(edges, s.memory)
		if !s.at.Before(from) && !s.at.After(to) {
			inside = max(inside, s.memory)
		}
	}
	c.MemoryMB = float64(cmp.Or(inside, edges)) / (1 << 20)
	return c
}
