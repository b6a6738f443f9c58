package pg

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"
	"github.com/jackc/pgx/v5/pgxpool"
)

// fill is pool.fill(): it returns when the pool has as many connections as its
// size and the server allow, so that no measured statement waits for a connect.
// One VU tries, for all of them, and is thrown what the server refused.
func (l *lender) fill(sobek.FunctionCall) sobek.Value {
	l.requireTest("fill()")
	l.client() // makes the tag set
	opened, err := l.pool.open(l.instance)
	if err != nil {
		l.throw(err)
	}
	ctx, c := l.context(), &client{instance: l.instance}
	refused := l.pool.fill(ctx, opened)
	for at, err := range refused {
		if at == len(refused)-1 {
			c.fail(ctx, l.tagSet, "fill the pool", err)
		}
		c.tally(ctx, l.tagSet, "fill the pool", err)
	}
	return sobek.Undefined()
}

// fill borrows all connections at once, each until all the others have come or
// been refused, and returns the refusals.
func (p *pool) fill(ctx context.Context, opened *pgxpool.Pool) []error {
	p.filling.Lock()
	defer p.filling.Unlock()
	if p.filled {
		return nil
	}
	p.filled = true
	var borrowing sync.WaitGroup
	var failed atomic.Int32
	errs := make([]error, p.options.Size)
	for at := range errs {
		borrowing.Go(func() {
			lent, err := opened.Acquire(ctx)
			if err != nil {
				errs[at] = err
				failed.Add(1)
				return
			}
			defer lent.Release()
			for opened.Stat().TotalConns()+failed.Load() < p.options.Size && ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
		})
	}
	borrowing.Wait()
	return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}
