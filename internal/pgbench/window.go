package pgbench

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// measure waits until the window is over, and returns it.
func (t Test) measure(ctx context.Context, p *process) (from, to time.Time, err error) {
	from = p.Began()
	if t.Transactions > 0 {
		err = p.wait(ctx, from.Add(seconds(t.Seconds)))
		return from, time.Now().Add(time.Second), err // all that it logged
	}
	if t.Warmup > 0 {
		if err := p.connected(ctx); err != nil {
			return from, from, err
		}
		from = p.busy.Add(seconds(t.Warmup))
	}
	to = from.Add(seconds(t.Seconds))
	return from, to, p.stop(ctx, to)
}

// connected waits until all clients are connected and busy.
func (p *process) connected(ctx context.Context) error {
	select {
	case <-p.ready:
		return nil
	case <-p.Ended():
		return errors.Join(errors.New("pgbench ended before its clients were connected"), p.failure())
	case <-ctx.Done():
		return p.late(ctx.Err())
	}
}

// stop has pgbench stop at that moment, as its own --time would, and waits until its last transactions are done.
func (p *process) stop(ctx context.Context, at time.Time) error {
	select {
	case <-p.Ended():
		return errors.Join(errors.New("pgbench ended by itself"), p.failure())
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(at)):
	}
	if err := p.Signal(syscall.SIGALRM); err != nil {
		return fmt.Errorf("have pgbench stop: %w", err)
	}
	select {
	case <-p.Ended():
		return nil
	case <-ctx.Done():
		return p.late(ctx.Err())
	}
}

// wait waits for pgbench's own end.
func (p *process) wait(ctx context.Context, until time.Time) error {
	select {
	case <-p.Ended():
		return p.failure()
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(until)):
		return p.late(fmt.Errorf("pgbench didn't end within %v", until.Sub(p.Began()).Round(time.Millisecond)))
	}
}

// late says what a pgbench that has had its time was at.
func (p *process) late(err error) error {
	select {
	case <-p.ready:
		return fmt.Errorf("its transactions weren't done in time: %w", err)
	default:
		return fmt.Errorf("its clients weren't all connected in time, and none begins before all are: %w", err)
	}
}
