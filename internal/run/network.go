package run

import (
	"context"
	"time"

	"pooler-lab/internal/link"
	"pooler-lab/internal/session"
)

// links are where latencies are set. The standby's replication goes over link.ReplicationLink while that is set.
type links interface {
	Snapshot(context.Context) (link.Snapshot, error)
	Put(context.Context, link.Snapshot) error
	Off(ctx context.Context, link string) error
	Set(ctx context.Context, link string, s link.Settings) error
}

// comesBack is how long toxiproxy may take to answer again after it was killed.
const comesBack = 30 * time.Second

// answering reads the links as soon as toxiproxy answers.
func (r *runner) answering(ctx context.Context) (links link.Snapshot, err error) {
	_ = session.Until(ctx, comesBack, 200*time.Millisecond, func() (bool, error) { // err says more than that it is late
		links, err = r.links.Snapshot(ctx)
		return err == nil, nil
	})
	return links, err
}

// setLinks puts exactly what is wanted on links and takes everything off all others: whatever else is set or cut would
// only change under the cell. The run restores it at its end.
func (r *runner) setLinks(ctx context.Context, wanted map[string]link.Settings) error {
	now, err := r.answering(ctx)
	if err != nil {
		return err
	}
	for _, p := range now {
		_, studied := wanted[p.Name]
		if !p.Enabled || !p.Bare() && !studied {
			if err := r.links.Off(ctx, p.Name); err != nil {
				return err
			}
		}
	}
	for name, s := range wanted {
		if err := r.links.Set(ctx, name, s); err != nil {
			return err
		}
	}
	return nil
}
