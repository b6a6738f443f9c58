package link

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"pooler-lab/internal/session"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
)

// ReplicationLink is the link that the standby can receive its WAL over. It stays off it until someone asks for it:
// only then does toxiproxy stand between primary and standby.
const ReplicationLink = "primary-standby"

// askWait is how long the standby may take to let the lab in and answer, streamWait until it streams again from where
// it was told to.
const askWait, streamWait = 5 * time.Second, 15 * time.Second

// replication is how the standby gets its WAL: straight from the primary, or over ReplicationLink.
type replication struct {
	standby, password string // how the lab's own role reaches it
	straight, link    string // host:port that WAL comes from
	// detour follows the standby's own primary_conninfo while it replicates over the link: of two hosts and two ports
	// libpq takes the last.
	detour string
}

// newReplication returns the replication of the lab whose links are in set. Nothing is opened yet.
func newReplication(set *topology.Set) (*replication, error) {
	l, err := set.Link(ReplicationLink)
	if err != nil {
		return nil, err
	}
	return &replication{
		standby:  topology.Endpoint{Host: "standby", Port: 5432, DBName: "postgres"}.DSN("lab"),
		password: topology.LabPassword(),
		straight: l.Upstream,
		link:     fmt.Sprintf("%s:%d", topology.Proxy, l.Port()),
		detour:   fmt.Sprintf(" host=%s port=%d", topology.Proxy, l.Port()),
	}, nil
}

// isOver says whether a standby with that primary_conninfo is told to replicate over the link.
func (r *replication) isOver(conninfo string) bool { return strings.HasSuffix(conninfo, r.detour) }

// overLink reports whether the standby is told to replicate over the link.
func (r *replication) overLink(ctx context.Context) (over bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	err = r.ask(ctx, func(_ *session.Session, conninfo string) error {
		over = r.isOver(conninfo)
		return nil
	})
	return over, err
}

// move puts the standby's replication on the link, or takes it off, and waits until it streams from there. It leaves a
// standby alone that has been told so already.
func (r *replication) move(ctx context.Context, over bool) error {
	ctx, cancel := context.WithTimeout(ctx, askWait+streamWait)
	defer cancel()
	return r.ask(ctx, func(standby *session.Session, conninfo string) error {
		if r.isOver(conninfo) == over {
			return nil
		}
		from, then := r.straight, strings.TrimSuffix(conninfo, r.detour)
		if over {
			from, then = r.link, conninfo+r.detour
		}
		if err := follow(ctx, standby, then); err != nil {
			return err
		}
		return awaitStream(ctx, standby, from)
	})
}

// ask connects to the standby and hands over its primary_conninfo.
func (r *replication) ask(ctx context.Context, do func(standby *session.Session, conninfo string) error) error {
	standby, err := session.Open(ctx, r.standby, r.password)
	if err != nil {
		return fmt.Errorf("connect to the standby: %w", err)
	}
	defer standby.Close()
	row, err := standby.AskOne(ctx, "SELECT current_setting('primary_conninfo') AS value")
	if err != nil {
		return fmt.Errorf("read the standby's primary_conninfo: %w", err)
	}
	if row["value"] == "" {
		return errors.New("the standby has no primary_conninfo: it follows no primary")
	}
	return do(standby, row["value"])
}

// follow has the standby follow another primary.
func follow(ctx context.Context, standby *session.Session, conninfo string) error {
	// Two messages, since ALTER SYSTEM refuses the transaction that several statements in one would be.
	for _, sql := range []string{
		"ALTER SYSTEM SET primary_conninfo TO " + session.Quoted(conninfo), "SELECT pg_reload_conf()",
	} {
		if _, err := standby.Ask(ctx, sql); err != nil {
			return fmt.Errorf("set the standby's primary_conninfo: %w", err)
		}
	}
	return nil
}

// awaitStream waits until the standby receives WAL from that host:port.
func awaitStream(ctx context.Context, standby *session.Session, from string) error {
	last := "no WAL receiver runs"
	err := shared.Until(ctx, streamWait, 100*time.Millisecond, func() (bool, error) {
		rows, err := standby.Ask(ctx, "SELECT status || ' from ' || sender_host || ':' || sender_port AS value "+
			"FROM pg_stat_wal_receiver")
		if err == nil && len(rows) > 0 && rows[0]["value"] != "" {
			last = rows[0]["value"]
		}
		return err == nil && last == "streaming from "+from, nil // a failure may pass
	})
	if err != nil {
		return fmt.Errorf("the standby is told to replicate from %s, but doesn't stream from there: %w (%s)", from, err, last)
	}
	return nil
}
