package link

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"pooler-lab/internal/topology"
)

// A Switch changes links as its Client does, for the latency command and for the console, and the standby's replication
// follows: it goes over ReplicationLink while anything is on that link or it is cut, and straight otherwise.
type Switch struct {
	*Client
	set         *topology.Set
	replication *replication
	// moved says that replication may be on its link, since this switch has begun to put it there.
	moved atomic.Bool
}

// NewSwitch makes one for the links of set. Nothing is opened yet.
func NewSwitch(set *topology.Set, client *Client) (*Switch, error) {
	replication, err := newReplication(set)
	return &Switch{Client: client, set: set, replication: replication}, err
}

// Put makes every link of the snapshot what it was then. Links that have come since are left alone; where one
// fails the others are still put back, and the error names all that failed.
func (s *Switch) Put(ctx context.Context, then Snapshot) error {
	return Each(then.names(), func(name string) error {
		p, _ := then.Proxy(name)
		put := func() error { return s.put(ctx, p) }
		switch now, err := s.Proxy(ctx, name); {
		case err != nil:
			return err
		case now.difference(p) == "" && name == ReplicationLink && p.Bare() && s.moved.Load():
			return s.moveReplication(ctx, false)
		case now.difference(p) == "":
			return nil
		case p.Bare():
			return s.clear(ctx, name, put)
		}
		return s.load(ctx, name, put)
	})
}

// Set makes the link carry exactly these settings. One that is cut stays cut.
func (s *Switch) Set(ctx context.Context, link string, settings Settings) error {
	set := func() error { return s.Client.Set(ctx, link, settings) }
	if settings == (Settings{}) {
		return s.clear(ctx, link, set)
	}
	return s.load(ctx, link, set)
}

// Off makes the link what it is after a start of the lab: it leads where configs/toxiproxy.json says, carries nothing
// and isn't cut.
func (s *Switch) Off(ctx context.Context, link string) error {
	return s.clear(ctx, link, func() error {
		if err := s.place(ctx, link); err != nil {
			return err
		}
		return s.Client.Off(ctx, link)
	})
}

// Cut ends the link's connections and refuses new ones until Restore.
func (s *Switch) Cut(ctx context.Context, link string) error {
	return s.load(ctx, link, func() error { return s.Client.Cut(ctx, link) })
}

// Restore ends a cut; what was set on the link still is.
func (s *Switch) Restore(ctx context.Context, link string) error {
	return s.clear(ctx, link, func() error { return s.Client.Restore(ctx, link) })
}

// Reset ends the link's connections; new ones are accepted at once. One that is cut stays cut.
func (s *Switch) Reset(ctx context.Context, link string) error {
	now, err := s.Proxy(ctx, link)
	if err != nil || !now.Enabled {
		return err
	}
	if err := errors.Join(s.Client.Cut(ctx, link), s.Client.Restore(ctx, link)); err != nil {
		return fmt.Errorf("reset link %s: %w", link, err)
	}
	return nil
}

// load makes a change that puts something on a link. Replication goes there first: over a link that is slow or cut
// already the standby would take long to stream.
func (s *Switch) load(ctx context.Context, link string, change func() error) error {
	if link != ReplicationLink {
		return change()
	}
	moved := s.moveReplication(ctx, true)
	return errors.Join(change(), moved)
}

// clear makes a change that takes something off a link. Where nothing is left there, replication leaves it.
func (s *Switch) clear(ctx context.Context, link string, change func() error) error {
	if err := change(); err != nil || link != ReplicationLink {
		return err
	}
	now, err := s.Proxy(ctx, link)
	if err != nil || !now.Bare() {
		return err
	}
	return s.moveReplication(ctx, false)
}

func (s *Switch) moveReplication(ctx context.Context, over bool) error {
	if over {
		s.moved.Store(true)
	}
	if err := s.replication.move(ctx, over); err != nil {
		where := map[bool]string{true: "put on", false: "taken off"}[over]
		return fmt.Errorf("the standby's replication couldn't be %s %s: %w", where, ReplicationLink, err)
	}
	s.moved.Store(over)
	return nil
}

// Replicates says where a standby with that primary_conninfo gets its WAL from: straight, or over the link.
func (s *Switch) Replicates(conninfo string) string {
	if s.replication.isOver(conninfo) {
		return "over the link"
	}
	return "straight"
}
