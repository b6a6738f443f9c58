package sample

import (
	"cmp"
	"context"
	"time"

	"pooler-lab/internal/result"
)

const (
	// poolerEvery is how often a pooler is asked. PgBouncer adds its pools up, whatever the number of clients;
	// Pgpool-II lists its children.
	poolerEvery   = 250 * time.Millisecond
	poolerTimeout = 5 * time.Second
)

// A poolerSample is what a pooler said, and when it was asked and answered.
type poolerSample struct {
	sent, received time.Time
	said           result.Pooler
}

// A pooler is the one of a path, for one repeat.
type pooler struct {
	service string
	ask     func(context.Context) (result.Pooler, error)
	samples []poolerSample
	trouble string
}

func (p *pooler) sample() {
	ctx, cancel := context.WithTimeout(context.Background(), poolerTimeout)
	defer cancel()
	sent := time.Now()
	said, err := p.ask(ctx)
	if err != nil {
		p.trouble = err.Error()
		return
	}
	p.samples = append(p.samples, poolerSample{sent, time.Now(), said})
}

// between is the most of everything that was said between two moments.
func (p *pooler) between(from, to time.Time) *result.Pooler {
	most := &result.Pooler{Service: p.service}
	for _, l := range p.samples {
		if l.sent.Before(from) || l.received.After(to) {
			continue
		}
		most.Samples++
		most.MaxClients = max(most.MaxClients, l.said.MaxClients)
		most.MaxWaiting = larger(most.MaxWaiting, l.said.MaxWaiting)
		most.MaxWaitMS = larger(most.MaxWaitMS, l.said.MaxWaitMS)
		most.MaxServers = max(most.MaxServers, l.said.MaxServers)
		most.PoolSize = max(most.PoolSize, l.said.PoolSize)
	}
	if most.Samples == 0 {
		most.NotMeasured = cmp.Or(p.trouble, notSampled)
	}
	return most
}

// larger is the larger of two figures, of which either may not be known.
func larger[T cmp.Ordered](a, b *T) *T {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}
