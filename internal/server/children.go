package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"pooler-lab/internal/topology"
)

// closeIdleSQL makes Pgpool-II close every idle backend connection of all its children, in good order. It does so
// before any DROP DATABASE, since that would fail otherwise, and then sleeps 5 s; the database named here doesn't
// exist. Nothing else makes it let go of them but their age.
const closeIdleSQL = "DROP DATABASE IF EXISTS pooler_lab_closes_idle_connections"

const (
	// letGo is how long children may take to let go: one whose client has just left is still resetting its
	// connections and doesn't hear, so that it has to be told again.
	letGo      = 2 * time.Second
	letGoTries = 3
	// janitors is how many sessions take turns at telling, since each then sleeps. They are kept, so that their
	// own children never serve measured clients: a child doesn't hear itself.
	janitors = 3
)

// used notes that the children of j's Pgpool-II, if it has one, now hold backends.
func (l *Lab) used(j Journey) {
	if j.pgpool() {
		l.caches[j.entry()] = true
	}
}

// closeIdle has a Pgpool-II let go of the backends that its children keep on nodes. What is left after that is
// for Clear; a Pgpool-II that doesn't answer holds nothing.
func (l *Lab) closeIdle(ctx context.Context, service string, nodes []string) {
	for range letGoTries {
		if l.emptied(ctx, nodes, 0) || !l.askToLetGo(ctx, service) || l.emptied(ctx, nodes, letGo) {
			return
		}
	}
}

// hireJanitors opens the sessions that tell a Pgpool-II's children to let go, once.
func (l *Lab) hireJanitors(ctx context.Context, service string) error {
	if l.janitors[service] != nil {
		return nil
	}
	hired := make(chan *session, janitors)
	for range janitors {
		s, err := l.openJanitor(ctx, service)
		if err != nil {
			dismiss(hired)
			return err
		}
		hired <- s
	}
	l.janitors[service] = hired
	return nil
}

// dismiss closes the sessions of those who wait; one that still sleeps ends with the program.
func dismiss(waiting chan *session) {
	for {
		select {
		case s := <-waiting:
			s.close()
		default:
			return
		}
	}
}

func (l *Lab) openJanitor(ctx context.Context, service string) (*session, error) {
	return open(ctx, topology.Endpoint{Host: service, Port: 9999, DBName: "postgres"}.DSN("lab"), l.labPassword)
}

// askToLetGo says whether somebody could be sent. The statement's end is nothing to wait for.
func (l *Lab) askToLetGo(ctx context.Context, service string) bool {
	if l.hireJanitors(ctx, service) != nil {
		return false
	}
	waiting := l.janitors[service]
	var s *session
	select {
	case s = <-waiting:
	case <-ctx.Done():
		return false
	}
	if s.conn.IsClosed() { // Pgpool-II has been restarted since
		fresh, err := l.openJanitor(ctx, service)
		if err != nil {
			waiting <- s
			return false
		}
		s = fresh
	}
	go func() {
		_, _ = s.ask(context.Background(), closeIdleSQL) // what comes of it is seen on the nodes
		waiting <- s
	}()
	return true
}

// emptied says whether the nodes hold no measured backends, or let go of them within wait.
func (l *Lab) emptied(ctx context.Context, nodes []string, wait time.Duration) bool {
	for _, n := range nodes {
		if left, err := l.nodes[n].left(ctx, "SELECT pid "+leftover, wait); err != nil || left > 0 {
			return false
		}
	}
	return true
}

// waiting is the status of a child that waits for a client.
const waiting = "Wait for connection"

// fill gives every child of j's Pgpool-II its backends, so that no client is a child's first. It connects as k6
// does to the byte: a child throws its backends away for a client whose startup message differs from theirs.
// It returns how many children that were.
func (l *Lab) fill(ctx context.Context, j Journey) (int, error) {
	n, err := l.idleChildren(ctx, j.entry())
	if err != nil {
		return 0, err
	}
	sessions, errs := make([]*session, n), make([]error, n)
	var opening sync.WaitGroup
	for i := range n { // all open at once, or one child would serve several
		opening.Go(func() { sessions[i], errs[i] = openAs(ctx, loadName, j.DSN(), Password(j.Role)) })
	}
	opening.Wait()
	for _, s := range sessions {
		if s != nil {
			opening.Go(s.close)
		}
	}
	opening.Wait()
	if err := errors.Join(errs...); err != nil {
		return 0, fmt.Errorf("fill the pool of %s: %w", j.entry(), err)
	}
	return n, l.settled(ctx, j.entry(), n)
}

// settled waits until n children have reset what their clients left.
func (l *Lab) settled(ctx context.Context, service string, n int) error {
	for {
		idle, err := l.idleChildren(ctx, service)
		if err != nil || idle >= n {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %d children of %s to be idle: %w", n, service, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (l *Lab) idleChildren(ctx context.Context, service string) (int, error) {
	rows, err := l.pooler(service).ask(ctx, "SHOW POOL_PROCESSES")
	idle := 0
	for _, r := range rows {
		if r["status"] == waiting {
			idle++
		}
	}
	return idle, err
}
