package pg

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.k6.io/k6/v2/metrics"
)

// poolOptions are the options of pg.pool. VUs that give the same ones share one
// pool.
type poolOptions struct {
	ClientOptions
	Name string `js:"name"` // tells pools of the same options apart
	Size int32  `js:"size"` // most connections
}

// pool is an application's own pool: connections that many VUs share.
type pool struct {
	*Module
	options poolOptions

	mu      sync.Mutex
	opened  *pgxpool.Pool
	opener  *instance // the VU that opened it: its samples are pushed as this one's
	tags    *metrics.TagSet
	lost    int  // connections that were dropped, and none has taken their place
	filled  bool // once by fill(), as far as the server allowed
	filling sync.Mutex
}

// lender is one VU's way to a pool.
type lender struct {
	*instance
	pool   *pool
	tagSet *tagSet
	free   []*client // not lent just now
	lost   bool      // the last call got no connection, or one that was dropped
}

// newPool is pg.pool(options): a VU's way to the pool of these options.
func (i *instance) newPool(call sobek.FunctionCall) sobek.Value {
	options := poolOptions{ClientOptions: ClientOptions{Protocol: "prepared"}, Size: 10}
	i.options("pool", call.Argument(0), &options)
	if options.Size < 1 {
		i.throw(errors.New("pool: size must be at least 1"))
	}
	first := i.clientOf("pool", options.ClientOptions)
	known, _ := i.pools.LoadOrStore(options, &pool{Module: i.Module, options: options})
	l := &lender{instance: i, pool: known.(*pool), tagSet: first.tagSet, free: []*client{first}}
	bound := map[string]method{"connected": l.isConnected, "fill": l.fill}
	for name := range first.bound {
		bound[name] = l.lending(name)
	}
	return i.object(bound)
}

// lending returns a method that borrows a connection for one call of the
// client's method of that name.
func (l *lender) lending(name string) method {
	return func(call sobek.FunctionCall) sobek.Value {
		c, lent := l.borrow()
		defer l.giveBack(c, lent)
		return c.bound[name](call)
	}
}

// borrow waits for a connection of the pool and returns a client that has it.
func (l *lender) borrow() (*client, *pgxpool.Conn) {
	opened, c, ctx := l.opened("a pool"), l.client(), l.context()
	began := time.Now()
	lent, err := opened.Acquire(ctx)
	ended := time.Now()
	l.lost = err != nil
	if err != nil {
		l.free = append(l.free, c)
		c.addresses.forget(c.config)
		c.fail(ctx, l.tagSet, "wait for a connection", err)
	}
	_, tags := l.now(l.tagSet, ended)
	l.push(sample(l.metrics.PoolWait, tags, ended, metrics.D(ended.Sub(began))))
	c.session = lent.Conn().PgConn().CustomData()[sessionKey].(*session)
	return c, lent
}

// client returns a client that isn't in use: a call within a transaction of the
// same pool borrows another connection, as it does in an application.
func (l *lender) client() *client {
	if len(l.free) == 0 {
		l.free = append(l.free, l.clientOf("pool", l.pool.options.ClientOptions))
	}
	last := len(l.free) - 1
	c := l.free[last]
	l.free = l.free[:last]
	if c.object == nil {
		c.object = l.object(c.bound)
	}
	return c
}

// giveBack returns the connection to the pool. One that is in the middle of a
// transaction is closed there.
func (l *lender) giveBack(c *client, lent *pgxpool.Conn) {
	if !c.session.open() {
		l.lost = true
		l.pool.lose()
	}
	c.session = nil
	lent.Release()
	l.free = append(l.free, c)
}

// sessionKey is where a pool's connection keeps its session.
const sessionKey = "k6/x/pg"

// opened returns the pool, open.
func (l *lender) opened(call string) *pgxpool.Pool {
	l.requireTest(call)
	opened, err := l.pool.open(l.instance)
	if err != nil {
		l.throw(err)
	}
	return opened
}

// open opens the pool for the first VU that needs it.
func (p *pool) open(i *instance) (*pgxpool.Pool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.opened != nil {
		return p.opened, nil
	}
	config, err := p.config()
	if err != nil {
		return nil, err
	}
	p.opener, p.tags = i, i.vu.State().Tags.GetCurrentValues().Tags
	p.tags = withTags(p.tags, "path", p.options.Path, "protocol", p.options.Protocol)
	p.opened, err = pgxpool.NewWithConfig(background, config)
	if err != nil {
		return nil, fmt.Errorf("open the pool: %w", err)
	}
	return p.opened, nil
}

// config returns pgxpool's settings.
func (p *pool) config() (*pgxpool.Config, error) {
	base, err := p.Module.config(p.options.DSN, p.options.Password)
	if err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig("host=" + base.Host) // a form; what matters comes from base
	if err != nil {
		return nil, fmt.Errorf("make the pool's settings: %w", err)
	}
	config.MaxConns = p.options.Size
	// A ping is a transaction to the server, and nobody asked for it.
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	config.BeforeConnect = func(_ context.Context, connecting *pgx.ConnConfig) error {
		t := newTiming(p.options.TCPHandshake)
		place := places[p.firstConnect(p.opener.side, base)]
		timed := *base
		timed.AfterConnect = func(_ context.Context, conn *pgconn.PgConn) error {
			p.welcome(newSession(conn, t), t, place)
			return nil
		}
		connecting.Config = *t.Watch(&timed)
		return nil
	}
	config.BeforeClose = func(conn *pgx.Conn) {
		if s, ok := conn.PgConn().CustomData()[sessionKey].(*session); ok {
			p.guard.remove(s)
		}
	}
	return config, nil
}

// welcome records a connect of the pool, which no VU makes.
func (p *pool) welcome(s *session, t *timing, place string) {
	s.conn.CustomData()[sessionKey] = s
	s.connect = 0 // nobody waits for its first statement
	p.guard.add(s)

	p.mu.Lock()
	again := p.lost > 0
	if again {
		p.lost--
	}
	i, tags := p.opener, p.tags
	p.mu.Unlock()

	if phase := i.phaseAt(t.Ready()); phase != phaseNone {
		tags = tags.With("phase", phase.String())
	}
	tags = tags.With("connect", place)
	i.push(append(i.metrics.ofConnect(t, tags, again), i.metrics.ofTraffic(s.traffic(), tags, t.Ready())...)...)
}

// lose notes that a connection was dropped while it was lent.
func (p *pool) lose() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost++
}

// fill is pool.fill(): it waits until the pool has as many connections as its size and the server allow, so that no
// measured statement waits for a connect, and returns how many. One VU tries, for all of them: its tags have the errors
// of what the server refused.
func (l *lender) fill(sobek.FunctionCall) sobek.Value {
	opened := l.opened("fill()")
	ctx, c := l.context(), &client{instance: l.instance}
	for _, err := range l.pool.fill(ctx, opened) {
		c.tally(ctx, l.tagSet, "fill the pool", err)
	}
	return l.vu.Runtime().ToValue(opened.Stat().TotalConns())
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

// isConnected is pool.connected(): false where this VU's last call got no
// connection, or one that was dropped.
func (l *lender) isConnected(sobek.FunctionCall) sobek.Value {
	return l.vu.Runtime().ToValue(!l.lost)
}

// closePools closes all pools; their connections have been closed before.
func (m *Module) closePools() {
	for _, known := range m.pools.Range {
		p := known.(*pool)
		p.mu.Lock()
		if p.opened != nil {
			p.opened.Close()
			p.opened = nil
		}
		p.mu.Unlock()
	}
}
