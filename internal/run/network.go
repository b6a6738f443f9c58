package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/link"
	"pooler-lab/internal/server"
	"pooler-lab/internal/session"
)

// Links are where latencies are set: toxiproxy.
type links interface {
	Snapshot(context.Context) (link.Snapshot, error)
	Put(context.Context, link.Snapshot) error
	Off(ctx context.Context, links ...string) error
	Set(ctx context.Context, link string, s link.Settings) error
}

// Replication is how the standby gets its WAL: straight from the primary, or over link.ReplicationLink.
type replication interface {
	OverLink(context.Context) (bool, error)
	Move(ctx context.Context, over bool) error
}

// A network is what a run found the links to be, so that it can put them back.
type network struct {
	links    link.Snapshot
	overLink bool // replication was
}

// found notes what the links are. Replication is asked only where a cell studies it: nothing else moves it.
func (r *runner) found(ctx context.Context) (n network, err error) {
	if n.links, err = r.links.Snapshot(ctx); err != nil {
		return n, fmt.Errorf("read the latencies that are set: %w", err)
	}
	r.movesReplication = slices.ContainsFunc(r.scheduled, func(c lesson.Cell) bool { return c.ReplicationMS > 0 })
	if r.movesReplication {
		if n.overLink, err = r.replication.OverLink(ctx); err != nil {
			return n, fmt.Errorf("read how the standby replicates: %w", err)
		}
	}
	return n, nil
}

// restoreNetwork makes links and replication what they were: each, whatever became of the other.
func (r *runner) restoreNetwork(ctx context.Context, found network) error {
	var moved error
	if r.movesReplication {
		// First: with a long latency in place the standby would take long to stream from elsewhere.
		if moved = r.replication.Move(ctx, found.overLink); moved != nil {
			moved = fmt.Errorf("restore replication: %w", moved)
		}
	}
	_, err := r.answering(ctx)
	if err == nil {
		err = r.links.Put(ctx, found.links)
	}
	return errors.Join(moved, err)
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
// only change under the cell. The run puts it back at its end. over says that the standby replicates over its link.
func (r *runner) setLinks(ctx context.Context, wanted map[string]link.Settings, over bool) error {
	if r.movesReplication {
		if err := r.replication.Move(ctx, over); err != nil {
			return err
		}
	}
	now, err := r.answering(ctx)
	if err != nil {
		return err
	}
	for _, p := range now {
		_, studied := wanted[p.Name]
		if !p.Enabled || (len(p.Toxics) > 0 && !studied) {
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

// linkSettings are what the cell wants on its links, by name.
func linkSettings(c lesson.Cell, path server.Path) map[string]link.Settings {
	wanted := map[string]link.Settings{}
	for _, l := range path.Crossed {
		wanted[l.Name] = link.Settings{LatencyMS: c.Latency.MS(), DownKBps: c.BandwidthKBs, UpKBps: c.BandwidthKBs}
	}
	if c.ReplicationMS > 0 {
		wanted[link.ReplicationLink] = link.Settings{LatencyMS: c.ReplicationMS}
	}
	return wanted
}

// compareNetwork rejects the repeat where links, or replication over its link, are not what they were before it.
func (r *runner) compareNetwork(ctx context.Context, before link.Snapshot, overLink bool) error {
	after, err := r.links.Snapshot(ctx)
	if err != nil {
		return err
	}
	if difference := before.Difference(after); difference != "" {
		return &rejection{"someone changed a link meanwhile: " + difference}
	}
	if !overLink {
		return nil
	}
	over, err := r.replication.OverLink(ctx)
	if err == nil && !over {
		return &rejection{"someone took replication off its link meanwhile"}
	}
	return err
}
