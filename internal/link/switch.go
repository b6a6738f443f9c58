package link

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pooler-lab/internal/topology"
)

// A Switch changes links as the latency commands do, for those who hold on to it: the console.
type Switch struct{ *lab }

// NewSwitch makes one for the links of set. Nothing is opened yet.
func NewSwitch(set *topology.Set, client *Client) (*Switch, error) {
	replication, err := NewReplication(set, client.host())
	if err != nil {
		return nil, err
	}
	return &Switch{&lab{set: set, client: client, replication: replication}}, nil
}

// Read reads all links, and says which of them are stalled.
func (s *Switch) Read(ctx context.Context) (now Snapshot, stalled map[string]error, err error) {
	return s.client.Read(ctx)
}

// Started returns when toxiproxy started.
func (s *Switch) Started(ctx context.Context) (time.Time, error) { return s.client.Started(ctx) }

// Set makes the links carry exactly these settings, all that it can; the error names those that it couldn't. The
// standby's replication goes over its link where that is given any, and off it where it is given none.
func (s *Switch) Set(ctx context.Context, settings Settings, links ...string) error {
	set := func(name string) error { return s.client.Set(ctx, name, settings) }
	others := slices.DeleteFunc(slices.Clone(links), func(name string) bool { return name == ReplicationLink })
	failed := each(others, set)
	// Last: it can take the standby a while to stream from elsewhere, and nobody else is to wait for that.
	if len(others) < len(links) {
		return errors.Join(failed, s.setReplication(ctx, settings))
	}
	return failed
}

func (s *Switch) setReplication(ctx context.Context, settings Settings) error {
	if settings != (Settings{}) {
		return s.setLinks(ctx, []string{ReplicationLink}, settings)
	}
	if err := s.client.Set(ctx, ReplicationLink, settings); err != nil {
		return err
	}
	return s.moveReplication(ctx, []string{ReplicationLink}, false)
}

// Cut ends the links' connections and refuses new ones until Restore.
func (s *Switch) Cut(ctx context.Context, links ...string) error { return s.cut(ctx, links) }

// Restore ends a cut.
func (s *Switch) Restore(ctx context.Context, links ...string) error { return s.restore(ctx, links) }

// Reset ends the links' connections; new ones are accepted at once. One that is cut stays cut.
func (s *Switch) Reset(ctx context.Context, links ...string) error {
	now, _, err := s.client.Read(ctx)
	if err != nil {
		return err
	}
	return each(links, func(name string) error {
		if now.Cut(name) {
			return nil
		}
		if err := errors.Join(s.client.Cut(ctx, name), s.client.Restore(ctx, name)); err != nil {
			return fmt.Errorf("reset link %s: %w", name, err)
		}
		return nil
	})
}

// Replicates says where a standby with that primary_conninfo gets its WAL from: straight, or over the link.
func (s *Switch) Replicates(primaryConninfo string) string {
	info, err := parseConninfo(primaryConninfo)
	if err != nil {
		return "unknown: " + err.Error()
	}
	if s.replication.link.isIn(info) {
		return "over the link"
	}
	return "straight"
}

func (a address) isIn(info conninfo) bool { return info.leadsTo(a.host, a.port) }

// Check says what of the settings is none that a link can have.
func (s Settings) Check() error {
	for _, ms := range []struct {
		what  string
		value int
	}{{"latency", s.LatencyMS}, {"jitter", s.JitterMS}} {
		if ms.value < 0 {
			return fmt.Errorf("a %s of %d ms is negative: a link can't answer before it was asked", ms.what, ms.value)
		}
		if int64(ms.value) > longest.Milliseconds() {
			return fmt.Errorf(
				"a %s of %d ms is more than 10 minutes, the most a link may add; cut it instead",
				ms.what,
				ms.value,
			)
		}
	}
	for _, kbps := range []int{s.DownKBps, s.UpKBps} {
		if kbps < 0 || kbps > fastest {
			return fmt.Errorf(
				"a bandwidth of %d KB/s: say whole KB/s (1 KB = 1000 bytes) from 1 to %d, or 0 for no limit",
				kbps,
				fastest,
			)
		}
	}
	return s.check()
}

// Others says whether the link has faults that the lab never sets.
func (p Proxy) Others() bool { return len(p.foreign()) > 0 }
