package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/topology"
)

// ReplicationLink is the link that the standby can receive its WAL over. It stays off it until someone asks for it:
// only then does toxiproxy stand between primary and standby.
const ReplicationLink = "primary-standby"

// streamWait is how long the standby may take until it streams again from where it was told to.
const streamWait = 15 * time.Second

// Replication is how the standby gets its WAL: straight from the primary, or over ReplicationLink.
type Replication struct {
	standby  topology.Endpoint
	password string
	straight address
	link     address
}

type address struct {
	host string
	port int
}

func (a address) String() string { return net.JoinHostPort(a.host, strconv.Itoa(a.port)) }

// NewReplication returns the replication of the lab whose links are in set, with the link's listener on host
// ("toxiproxy"). Nothing is opened yet.
func NewReplication(set *topology.Set, host string) (*Replication, error) {
	l, err := set.Link(ReplicationLink)
	if err != nil {
		return nil, err
	}
	upstream, port, _ := net.SplitHostPort(l.Upstream)
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("read link %s: %w", l.Name, err)
	}
	return &Replication{
		standby:  topology.Endpoint{Host: "standby", Port: 5432, DBName: "postgres"},
		password: os.Getenv("LAB_PASSWORD"),
		straight: address{upstream, number},
		link:     address{host, l.Port()},
	}, nil
}

// OverLink reports whether the standby is told to replicate over the link.
func (r *Replication) OverLink(ctx context.Context) (bool, error) {
	conn, err := connect(ctx, r.standby, "lab", r.password)
	if err != nil {
		return false, err
	}
	defer conn.Close(ctx)
	info, err := readConninfo(ctx, conn)
	if err != nil {
		return false, err
	}
	return info.leadsTo(r.link.host, r.link.port), nil
}

// Move puts the standby's replication on the link, or takes it off, and waits until it streams from there.
// Nothing but host and port of its connection string changes.
func (r *Replication) Move(ctx context.Context, over bool) error {
	to := r.straight
	if over {
		to = r.link
	}
	conn, err := connect(ctx, r.standby, "lab", r.password)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	info, err := readConninfo(ctx, conn)
	if err != nil {
		return err
	}
	if !info.leadsTo(to.host, to.port) {
		if err := writeConninfo(ctx, conn, info.withAddress(to.host, to.port)); err != nil {
			return err
		}
	}
	return awaitStream(ctx, conn, to)
}

// moveUnlessThere leaves a standby alone that has been told so already, streaming or not.
func (r *Replication) moveUnlessThere(ctx context.Context, over bool) error {
	already, err := r.OverLink(ctx)
	if err != nil || already == over {
		return err
	}
	return r.Move(ctx, over)
}

func readConninfo(ctx context.Context, conn *pgconn.PgConn) (conninfo, error) {
	text, err := value(ctx, conn, "SELECT current_setting('primary_conninfo')")
	if err != nil {
		return nil, fmt.Errorf("read the standby's primary_conninfo: %w", err)
	}
	info, err := parseConninfo(text)
	if err != nil {
		return nil, fmt.Errorf("read the standby's primary_conninfo: %w", err)
	}
	if len(info) == 0 {
		return nil, errors.New("the standby has no primary_conninfo: it follows no primary")
	}
	return info, nil
}

func writeConninfo(ctx context.Context, conn *pgconn.PgConn, text string) error {
	literal := "'" + strings.ReplaceAll(text, "'", "''") + "'"
	// Two messages, since ALTER SYSTEM refuses the transaction that several statements in one would be.
	for _, sql := range []string{"ALTER SYSTEM SET primary_conninfo TO " + literal, "SELECT pg_reload_conf()"} {
		if _, err := conn.Exec(ctx, sql).ReadAll(); err != nil {
			return fmt.Errorf("set the standby's primary_conninfo: %w", err)
		}
	}
	return nil
}

// awaitStream waits until the standby receives WAL from that address.
func awaitStream(ctx context.Context, conn *pgconn.PgConn, from address) error {
	ctx, cancel := context.WithTimeout(ctx, streamWait)
	defer cancel()
	const query = "SELECT status || ' from ' || coalesce(sender_host, '') || ':' || coalesce(sender_port::text, '') " +
		"FROM pg_stat_wal_receiver"
	wanted, last := "streaming from "+from.host+":"+strconv.Itoa(from.port), ""
	for {
		seen, err := value(ctx, conn, query)
		if err == nil && seen == wanted {
			return nil
		}
		if err == nil {
			last = seen
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			if last == "" {
				last = "no WAL receiver runs"
			}
			return fmt.Errorf(
				"the standby is told to replicate from %s, but doesn't stream from there within %s (%s)",
				from,
				streamWait,
				last,
			)
		}
	}
}

// value returns the first column of the first row, "" if there is none or it is null.
func value(ctx context.Context, conn *pgconn.PgConn, sql string) (string, error) {
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		return "", err
	}
	if len(results) == 0 || len(results[0].Rows) == 0 {
		return "", nil
	}
	return string(results[0].Rows[0][0]), nil
}
