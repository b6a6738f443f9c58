package console

import (
	"context"
	"time"

	"pooler-lab/internal/pooler"
)

// A poolerProbe asks a pooler of any kind. Its counts since it started tell how many SELECTs it sends to each of its
// servers a second.
type poolerProbe struct {
	pooler  pooler.Pooler
	name    string
	servers []string // in the order of their counts

	at     time.Time // of the counts before
	counts []int64
}

func (p *poolerProbe) Close() {
	p.pooler.Close()
	p.counts = nil
}

func (p *poolerProbe) Ask(ctx context.Context) (func(map[string]*Node), error) {
	seen, err := p.pooler.State(ctx)
	if err != nil {
		return nil, err
	}
	held, err := p.pooler.Held(ctx, "")
	if err != nil {
		return nil, err
	}
	now := time.Now()
	rates := selectRates(p.counts, seen.Selects, now.Sub(p.at))
	p.counts, p.at = seen.Selects, now
	return func(nodes map[string]*Node) {
		node := nodes[p.name]
		node.Reason = held
		node.WaitingClients, node.PoolSize = seen.Waiting, seen.Size
		node.ServersActive, node.ServersIdle = seen.Active, seen.Idle
		for i, rate := range rates {
			addTo(&node.SelectsPerSecond, rate)
			if i < len(p.servers) && nodes[p.servers[i]] != nil {
				addTo(&nodes[p.servers[i]].SelectsPerSecond, rate)
			}
		}
	}, nil
}

// selectRates are how many SELECTs a second there were between two readings, none at the first one, or after a restart.
func selectRates(before, after []int64, between time.Duration) []float64 {
	if len(before) != len(after) {
		return nil
	}
	var rates []float64
	for i, count := range after {
		if count < before[i] {
			return nil
		}
		rates = append(rates, float64(count-before[i])/between.Seconds())
	}
	return rates
}

func addTo(sum **float64, v float64) {
	if *sum != nil {
		v += **sum
	}
	*sum = &v
}
