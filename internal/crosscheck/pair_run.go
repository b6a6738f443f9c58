package crosscheck

import (
	"context"
	"fmt"

	"pooler-lab/internal/outcome"
	"pooler-lab/internal/pgbench"
	"pooler-lab/internal/topology"
)

// allPairs measures each pair. What one of them fails with stands in its line of the table: with some paths, 90 clients
// are more than the pool has connections.
func (b *bench) allPairs(ctx context.Context, pairs []*pair) error {
	for i, p := range pairs {
		fmt.Fprintf(b.progress, "%d/%d  %s: ", i+1, len(pairs), p.name())
		ends, err := b.endpoints(p)
		if err != nil {
			return err
		}
		p.err = p.measure(ctx, ends, b.scale)
		if ctx.Err() != nil {
			fmt.Fprintln(b.progress, "interrupted")
			p.err = nil
			return ctx.Err()
		}
		if p.err != nil {
			p.pgbench, p.k6 = nil, nil
			fmt.Fprintf(b.progress, "not measured: %v\n", p.err)
			continue
		}
		fmt.Fprintf(b.progress, "pgbench %s, k6 %s, ratio of ratios %s\n", ratioText(outcome.Summary(p.pgbench.ratios())),
			ratioText(outcome.Summary(p.k6.ratios())), ratioText(p.quotient()))
	}
	return nil
}

// endpoints are where the clients of both sides connect, without latency.
func (b *bench) endpoints(p *pair) (ends [2]topology.Endpoint, err error) {
	for _, side := range []pgbench.Side{pgbench.A, pgbench.B} {
		path, err := b.set.Find(p.paths[side])
		if err != nil {
			return ends, err
		}
		if ends[side], err = path.Endpoint(""); err != nil {
			return ends, err
		}
	}
	return ends, nil
}
