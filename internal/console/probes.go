package console

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"pooler-lab/internal/link"
	"pooler-lab/internal/session"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
)

const (
	nodeEvery  = time.Second
	waitsEvery = 250 * time.Millisecond
	// A link's round trip is the median of its last samples, spread over a second: a single one, or some in a row, can
	// fall into the moment in which a CPU limit stops its server.
	linkEvery   = time.Second / linkSamples
	linkSamples = 3
	// nodeWait is how long a node may take to say how it is.
	nodeWait = 2 * time.Second
)

// A pulse wakes all who wait for it.
type pulse struct {
	mu   sync.Mutex
	next chan struct{}
}

func newPulse() *pulse { return &pulse{next: make(chan struct{})} }

func (p *pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.next)
	p.next = make(chan struct{})
}

func (p *pulse) wait() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next
}

// mayProbe says whether probes may run: somebody watches, and nothing measures.
func (p *parts) mayProbe() bool { return p.lock.text() == "" && p.watched() }

// watched says whether somebody wants to know: a page, whoever asked just now, or the live load's history.
func (p *parts) watched() bool { return p.hub.watched() || !p.load.is(LoadOff) }

// startProbes starts all probes. Each is a goroutine of its own, so that none waits for another's server.
func (p *parts) startProbes() {
	for _, l := range p.source.Set.Links {
		if l.Unavailable == "" {
			m := &meter{link: l, probe: p.source.Probe(l)}
			p.repeat(linkEvery, func(ctx context.Context) { p.measure(ctx, m) },
				func() { m.rest(); p.trips.forget(l.Name) })
		}
	}
	for name, probe := range p.source.Nodes {
		if p.offReason(name) == "" {
			p.repeat(nodeEvery, func(ctx context.Context) { p.ask(ctx, name, probe) },
				func() { probe.Close(); p.nodes.forget(name) })
		}
	}
	for name, probe := range p.source.Waits {
		samples := 0
		p.repeat(waitsEvery, func(context.Context) {
			probe.Sample()
			if samples++; samples%4 == 0 {
				p.waits.note(name, probe.Lately())
			}
		}, func() { probe.Close(); p.waits.forget(name) })
	}
}

// repeat probes again and again while that is allowed, and rests once when it no longer is: then a probe closes its
// connection, for what measures wants the lab to itself.
func (p *parts) repeat(every time.Duration, probe func(context.Context), rest func()) {
	p.running.Go(func() {
		open := false
		for p.until.Err() == nil {
			begun, wake := time.Now(), p.wake.wait()
			if p.mayProbe() {
				probe(p.lock.whileFree()) // an answer over a slow link isn't waited for any more
				open = true
			} else if open {
				rest()
				open = false
			}
			// Not in step with a limit that is dealt out ten times a second, nor with the other probes.
			pause := every - every/8 + rand.N(every/4)
			select {
			case <-p.until.Done():
			case <-wake:
			case <-time.After(max(time.Until(begun.Add(pause)), waitsEvery/2)):
			}
		}
		if open {
			rest()
		}
	})
}

// A meter measures one link.
type meter struct {
	link  topology.Link
	probe LinkProbe
	set   link.Settings   // while it measured
	took  []time.Duration // the last samples
}

func (m *meter) rest() {
	m.probe.Close()
	m.took = nil
}

// measure measures a link, unless it is cut. Samples from before a swap count no longer.
func (p *parts) measure(ctx context.Context, m *meter) {
	name, seen := m.link.Name, p.links.see(m.link.Name)
	switch {
	case !seen.known:
		return
	case !seen.now.Enabled:
		m.rest()
		p.trips.forget(name)
		return
	case seen.now.Settings() != m.set:
		m.set, m.took = seen.now.Settings(), nil
	}
	limited, cancel := context.WithTimeout(ctx, m.set.Patience())
	defer cancel()
	late := time.AfterFunc(keptFor(m.set), func() { p.trips.note(name, roundTrip{reason: "no answer yet"}) })
	took, err := m.probe.Sample(limited)
	late.Stop()
	if again := p.links.see(name).now; again.Settings() != m.set || !again.Enabled {
		return // swapped meanwhile: neither the one nor the other
	}
	switch {
	case err == nil:
		m.took = append(m.took, took)
		m.took = m.took[max(0, len(m.took)-linkSamples):]
		median, _ := shared.Median(m.took)
		ms := float64(median.Microseconds()) / 1000
		p.trips.note(name, roundTrip{ms: &ms})
	case ctx.Err() == nil:
		m.rest()
		p.trips.note(name, roundTrip{reason: session.Reason(err, m.link.Service())})
	}
}

// keptFor is how long the page shows the measurement before while it waits for the next one: connecting takes several
// round trips.
func keptFor(set link.Settings) time.Duration {
	return 2*time.Second + time.Duration(10*(set.LatencyMS+set.JitterMS)*float64(time.Millisecond))
}

// ask asks a node how it is.
func (p *parts) ask(ctx context.Context, name string, probe NodeProbe) {
	limited, cancel := context.WithTimeout(ctx, nodeWait)
	defer cancel()
	apply, err := probe.Ask(limited)
	switch {
	case err == nil:
		p.nodes.note(name, nodeReading{apply: apply})
	case ctx.Err() == nil:
		p.nodes.note(name, nodeReading{reason: session.Reason(err, name)})
	}
}
