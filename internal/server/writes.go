package server

import (
	"context"
	"fmt"
	"strconv"

	"pooler-lab/internal/result"
	"pooler-lab/internal/session"
)

// tidying makes each repeat of a workload that writes begin alike: no history, no dead rows in the tables that every
// transaction updates, nothing left for a checkpoint to write.
var tidying = []string{"TRUNCATE pgbench_history", "VACUUM pgbench_branches, pgbench_tellers", "CHECKPOINT"}

// BeginWrites tidies the primary's tables up and waits until the standby has followed.
func (l *Servers) BeginWrites(ctx context.Context) error {
	err := l.inData(ctx, func(s *session.Session) error {
		for _, sql := range tidying {
			if _, err := s.Ask(ctx, sql); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("tidy up before writing: %w", err)
	}
	return l.followed(ctx)
}

// followed waits until the standby has replayed what the primary has written until now.
func (l *Servers) followed(ctx context.Context) error {
	r, err := l.nodes[primary].AskOne(ctx, "SELECT pg_current_wal_lsn() AS lsn")
	if err != nil {
		return err
	}
	return l.nodes[standby].await(ctx, "what the primary wrote", "SELECT WHERE pg_last_wal_replay_lsn() >= '"+r["lsn"]+"'")
}

// inData has a session of the lab's own in the primary's database lab, and waits until its backend is gone: it commits
// where clients are counted, and hands its counts in as it ends.
func (l *Servers) inData(ctx context.Context, do func(*session.Session) error) error {
	s, err := session.Open(ctx, dataDSN(primary), l.labPassword)
	if err != nil {
		return fmt.Errorf("connect to the primary's data: %w", err)
	}
	pid := s.PID()
	err = do(s)
	s.Close()
	if err != nil {
		return err
	}
	gone := fmt.Sprintf("SELECT WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = %d)", pid)
	return l.nodes[primary].await(ctx, "a session of the lab's own end", gone)
}

// CountHistory sets the rows of pgbench_history beside the transactions of k6 that inserted one each since
// BeginWrites.
func (l *Servers) CountHistory(ctx context.Context, k6 int64) (c result.Count, err error) {
	var rows int64
	err = l.inData(ctx, func(s *session.Session) error {
		r, err := s.AskOne(ctx, "SELECT count(*) AS rows FROM pgbench_history")
		if err != nil {
			return err
		}
		rows, err = strconv.ParseInt(r["rows"], 10, 64)
		return err
	})
	if err != nil {
		return c, fmt.Errorf("count the history: %w", err)
	}
	c = result.Count{What: "transactions, rows of pgbench_history", K6: k6, Raw: rows, Server: rows, Equal: k6 == rows}
	return c, nil
}
