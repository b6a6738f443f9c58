package sample

import (
	"context"
	"net/http"
	"sync"
	"time"

	"pooler-lab/internal/result"
)

// How often the sampler looks while k6 runs. A look at the host is one file, at a container one request to Docker.
const (
	hostEvery      = 250 * time.Millisecond
	containerEvery = 2 // looks at the host
	askTimeout     = 2 * time.Second
)

// A Sampler watches the host and, where Docker's stats can be had, containers.
type Sampler struct {
	docker docker
	off    string // why containers aren't measured
}

// New returns a sampler for the containers of a Compose project, seen through the stats proxy at url. Without an
// answer for the service known to be there, containers are not measured, and every watch says why.
func New(ctx context.Context, url, project, known string) *Sampler {
	s := &Sampler{docker: docker{url: url, project: project, client: http.Client{Timeout: askTimeout}}}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if _, err := s.docker.read(ctx, known); err != nil {
		s.off = err.Error()
	}
	return s
}

// A Watch is one repeat's samples.
type Watch struct {
	sampler  *Sampler
	services []string
	cancel   context.CancelFunc
	done     sync.WaitGroup

	host       []hostSample
	containers map[string][]containerSample
	trouble    string
}

// Start begins to watch the host and the containers of services.
func (s *Sampler) Start(ctx context.Context, services []string) *Watch {
	ctx, cancel := context.WithCancel(ctx)
	w := &Watch{sampler: s, services: services, cancel: cancel, containers: map[string][]containerSample{}, trouble: s.off}
	w.look(ctx, true)
	w.done.Go(func() { w.run(ctx) })
	return w
}

func (w *Watch) run(ctx context.Context) {
	tick := time.NewTicker(hostEvery)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.look(ctx, n%containerEvery == 0)
		}
	}
}

func (w *Watch) look(ctx context.Context, containers bool) {
	if s, err := readHost(); err == nil {
		w.host = append(w.host, s)
	}
	if !containers || w.sampler.off != "" {
		return
	}
	for _, service := range w.services {
		s, err := w.sampler.docker.read(ctx, service)
		if err != nil {
			if ctx.Err() == nil {
				w.trouble = err.Error()
			}
			continue
		}
		w.containers[service] = append(w.containers[service], s)
	}
}

// Stop ends the watch with a last look.
func (w *Watch) Stop() {
	w.cancel()
	w.done.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	w.look(ctx, true)
}

// Between sums up a stopped watch from one moment to another, as closely around them as it looked.
func (w *Watch) Between(from, to time.Time) *result.Resources {
	r := &result.Resources{NotMeasured: w.trouble, Containers: []result.Container{}}
	if i, j, ok := around(w.host, hostSample.when, from, to); ok {
		r.HostCPU = share(w.host[i], w.host[j])
	}
	for _, service := range w.services {
		if samples := w.containers[service]; len(samples) > 0 {
			r.Containers = append(r.Containers, sumUp(service, samples, from, to))
		}
	}
	return r
}

func (s hostSample) when() time.Time      { return s.at }
func (s containerSample) when() time.Time { return s.at }

// around returns the last sample that is not after from and the first that is not before to, or the outermost
// ones; not ok where that is one sample.
func around[S any](samples []S, when func(S) time.Time, from, to time.Time) (first, last int, ok bool) {
	last = len(samples) - 1
	for i, s := range samples {
		if !when(s).After(from) {
			first = i
		}
	}
	for i := last; i > first; i-- {
		if !when(samples[i]).Before(to) {
			last = i
		}
	}
	return first, last, last > first
}

func sumUp(service string, samples []containerSample, from, to time.Time) result.Container {
	c := result.Container{Service: service}
	first, last, ok := around(samples, containerSample.when, from, to)
	if !ok {
		return c
	}
	a, b := samples[first], samples[last]
	cpus := (b.cpu - a.cpu).Seconds() / b.at.Sub(a.at).Seconds()
	c.CPUs = &cpus
	if b.periods > a.periods {
		throttled := float64(b.throttled-a.throttled) / float64(b.periods-a.periods)
		c.Throttled = &throttled
	}
	most := float64(a.memory)
	for _, s := range samples[first : last+1] {
		most = max(most, float64(s.memory))
	}
	most /= 1 << 20
	c.MemoryMB = &most
	return c
}
