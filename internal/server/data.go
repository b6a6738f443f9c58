package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/result"
	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
)

// openData opens a session of the lab's own role with the data of a PostgreSQL node.
func openData(ctx context.Context, node string) (*session.Session, error) {
	at := topology.Endpoint{Host: node, Port: 5432, DBName: "lab"}
	s, err := session.Open(ctx, at.DSN("lab"), topology.LabPassword())
	if err != nil {
		return nil, fmt.Errorf("connect to the data of the %s: %w", node, err)
	}
	return s, nil
}

// Scale is that of the data that is loaded; the error says so where it isn't, or isn't complete.
func Scale(ctx context.Context) (int, error) {
	s, err := openData(ctx, primary)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	scale, err := ScaleIn(ctx, s)
	if err == nil && scale == 0 {
		err = errors.New("the data isn't loaded yet, wait until the lab is healthy")
	}
	return scale, err
}

// ScaleIn is the scale of the complete data that a session's database has, 0 where it has none.
func ScaleIn(ctx context.Context, s *session.Session) (scale int, err error) {
	err = s.QueryRow(ctx, "SELECT scale FROM lab_data").Scan(&scale)
	var missing *pgconn.PgError
	switch {
	case errors.Is(err, pgx.ErrNoRows), errors.As(err, &missing) && missing.Code == "42P01": // undefined_table
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("read the data's scale: %w", err)
	}
	return scale, nil
}

const (
	// readAll reads every account and its index through the buffer cache, in the index's order: a scan of the table
	// alone would go through a small ring of buffers and leave the cache as it was.
	readAll = "SET enable_seqscan = off; SET enable_bitmapscan = off; SET max_parallel_workers_per_gather = 0; " +
		"SELECT count(abalance) FROM pgbench_accounts WHERE aid > 0"
	// warmingTime bounds it: data that takes longer doesn't fit the cache anyway.
	warmingTime = 15 * time.Second
)

// Warm reads the data of both PostgreSQL nodes into their caches, so that the first cells of a run don't pay for
// what a start left cold. A node that can't is left to its cells: they say what is wrong with it.
func Warm(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, warmingTime)
	defer cancel()
	var both sync.WaitGroup
	for _, node := range topology.Nodes() {
		both.Go(func() {
			if s, err := openData(ctx, node); err == nil {
				_, _ = s.Ask(ctx, readAll)
				s.Close()
			}
		})
	}
	both.Wait()
}

// tidying makes each repeat of a workload that writes begin alike: no history, no dead rows in the tables that every
// transaction updates, nothing left for a checkpoint to write.
var tidying = []string{"TRUNCATE pgbench_history", "VACUUM pgbench_branches, pgbench_tellers", "CHECKPOINT"}

// BeginWrites tidies the primary's tables up and waits until the standby has followed.
func (l *Servers) BeginWrites(ctx context.Context) error {
	if _, err := l.inData(ctx, tidying...); err != nil {
		return fmt.Errorf("tidy up before writing: %w", err)
	}
	return l.followed(ctx)
}

// followed waits until the standby has replayed what the primary has written until now.
func (l *Servers) followed(ctx context.Context) error {
	lsn, err := l.say(ctx, primary, "SELECT pg_current_wal_lsn() AS lsn", "lsn")
	if err != nil {
		return err
	}
	return l.nodes[standby].await(ctx, "what the primary wrote", "SELECT WHERE pg_last_wal_replay_lsn() >= '"+lsn+"'")
}

// inData asks statements in the primary's database lab, each after the other, and returns the last one's rows. It waits
// until its backend is gone: that commits where clients are counted, and hands its counts in as it ends.
func (l *Servers) inData(ctx context.Context, statements ...string) (rows []session.Row, err error) {
	s, err := openData(ctx, primary)
	if err != nil {
		return nil, err
	}
	for _, sql := range statements {
		if rows, err = s.Ask(ctx, sql); err != nil {
			err = fmt.Errorf("%s: %w", sql, err)
			break
		}
	}
	pid := s.PID()
	s.Close()
	if err != nil {
		return nil, err
	}
	gone := fmt.Sprintf("SELECT WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = %d)", pid)
	return rows, l.nodes[primary].await(ctx, "a session of the lab's own end", gone)
}

// CountHistory sets the rows of pgbench_history beside the transactions of k6 that inserted one each since
// BeginWrites.
func (l *Servers) CountHistory(ctx context.Context, k6 int64) (result.Count, error) {
	said, err := l.inData(ctx, "SELECT count(*) AS rows FROM pgbench_history")
	if err != nil {
		return result.Count{}, fmt.Errorf("count the history: %w", err)
	}
	var v session.Numbers
	rows := v.Of(said[0], "rows")
	return result.Count{What: "transactions, rows of pgbench_history", K6: k6, Raw: rows, Server: rows,
		Equal: k6 == rows}, v.Err
}

// Marks are the rows of pgbench_history that clients have marked, by what stands in their column filler.
func (l *Servers) Marks(ctx context.Context) (map[string]bool, error) {
	rows, err := l.inData(ctx, "SELECT rtrim(filler) AS mark FROM pgbench_history WHERE filler IS NOT NULL")
	if err != nil {
		return nil, fmt.Errorf("look for what was written: %w", err)
	}
	marks := map[string]bool{}
	for _, r := range rows {
		marks[r["mark"]] = true
	}
	return marks, nil
}

// fresh is the database that is made anew for each repeat that wants one. Role lab owns it, anybody may come in.
const fresh = "lab_fresh"

// makeFresh makes the database anew and waits until all of the path's nodes have it.
func (l *Servers) makeFresh(ctx context.Context, p Route) error {
	if err := l.dropFresh(ctx); err != nil {
		return err
	}
	l.madeFresh = true
	if err := l.nodes[primary].Do(ctx, "CREATE DATABASE "+fresh); err != nil {
		return fmt.Errorf("make a fresh database: %w", err)
	}
	if slices.Contains(p.Nodes(), standby) {
		return l.followed(ctx)
	}
	return nil
}

func (l *Servers) dropFresh(ctx context.Context) error {
	if _, err := l.nodes[primary].Ask(ctx, "DROP DATABASE IF EXISTS "+fresh+" WITH (FORCE)"); err != nil {
		return fmt.Errorf("drop the fresh database: %w", err)
	}
	l.madeFresh = false
	return nil
}
