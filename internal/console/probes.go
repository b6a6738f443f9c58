package console

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"pooler-lab/internal/link"
	"pooler-lab/internal/path"
)

const (
	probeEvery = time.Second
	waitsEvery = 250 * time.Millisecond
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

// looking says whether probes may look: somebody watches, and nothing measures.
func (p *parts) looking() bool { return p.lock.text() == "" && p.watched() }

// watched says whether somebody wants to know: a page, whoever asked just now, or the live load's history.
func (p *parts) watched() bool { return p.hub.watched() || p.load.active() }

// startProbes starts all probes. Each is a goroutine of its own, so that none waits for another's server.
func (p *parts) startProbes(ctx context.Context) {
	for _, l := range p.source.Set.Links {
		if l.Unavailable() == "" {
			probe := p.source.Probe(l)
			p.keep(ctx, probeEvery, func(ctx context.Context) { p.measure(ctx, l, probe) },
				func() { probe.Close(); p.sights.forgetLink(l.Name) })
		}
	}
	for _, probe := range p.source.Nodes {
		if p.offReason(probe.Node()) == "" {
			p.keep(ctx, probeEvery, func(ctx context.Context) { p.look(ctx, probe) },
				func() { probe.Close(); p.sights.forgetNode(probe.Node()) })
		}
	}
	for _, probe := range p.source.Waits {
		looks := 0
		p.keep(ctx, waitsEvery, func(context.Context) {
			probe.Look()
			if looks++; looks%4 == 0 {
				p.sights.wait(probe.Node(), probe.Waits())
			}
		}, func() { probe.Close(); p.sights.forgetWait(probe.Node()) })
	}
}

// keep looks again and again while that is allowed, and rests once when it no longer is: then a probe closes its
// connection, for what measures wants the lab to itself.
func (p *parts) keep(ctx context.Context, every time.Duration, look func(context.Context), rest func()) {
	p.running.Go(func() {
		looked := false
		for ctx.Err() == nil {
			begun, moved := time.Now(), p.moved.wait()
			if p.looking() {
				look(ctx)
				looked = true
			} else if looked {
				rest()
				looked = false
			}
			// Not in step with a budget that is dealt out ten times a second, nor with the other probes.
			pause := every - every/8 + rand.N(every/4)
			select {
			case <-ctx.Done():
			case <-moved:
			case <-time.After(max(time.Until(begun.Add(pause)), waitsEvery/2)):
			}
		}
		if looked {
			rest()
		}
	})
}

// measure measures a link, unless it is cut.
func (p *parts) measure(ctx context.Context, l path.Link, probe LinkProbe) {
	now, known := p.links.proxy(l.Name)
	switch {
	case !known:
		return
	case !now.Enabled:
		probe.Close()
		p.sights.noteLink(l.Name, measurement{reason: "cut"})
		return
	}
	waiting := time.AfterFunc(patienceFor(now.Asked()), func() {
		p.sights.noteLink(l.Name, measurement{reason: "no answer yet"})
	})
	took, err := probe.RoundTrip(ctx, now.Asked())
	waiting.Stop()
	switch {
	case err == nil:
		p.sights.link(l.Name, took)
	case ctx.Err() == nil:
		probe.Close()
		p.sights.noteLink(l.Name, measurement{reason: probe.Reason(err)})
	}
}

// patienceFor is how old a measurement may get on the page before it says that there is none: connecting takes several
// round trips.
func patienceFor(asked link.Settings) time.Duration {
	return 2*time.Second + 10*time.Duration(asked.LatencyMS+asked.JitterMS)*time.Millisecond
}

// look asks a node how it is.
func (p *parts) look(ctx context.Context, probe NodeProbe) {
	limited, cancel := context.WithTimeout(ctx, nodeWait)
	defer cancel()
	apply, err := probe.Look(limited)
	switch {
	case err == nil:
		p.sights.node(probe.Node(), nodeSight{apply: apply})
	case ctx.Err() == nil:
		p.sights.node(probe.Node(), nodeSight{reason: link.Reason(err, probe.Node())})
	}
}
