package pg

import (
	"strings"
	"testing"
	"time"
)

// pooled runs code in several VUs that share a pool with the given options.
func pooled(t *testing.T, module *Module, options string, code ...string) []*script {
	t.Helper()
	vus := together(t, module, `const pool = pg.pool({ dsn: '`+testDSN(t)+`', `+options+` })`, code...)
	t.Cleanup(func() { module.finish(time.Now()) })
	return vus
}

func TestPoolIsShared(t *testing.T) {
	work := `pids = new Set(); pool.fill();
		for (let i = 0; i < 20; i++) pids.add(pool.query('SELECT pg_backend_pid() AS pid, pg_sleep(0.002)')[0].pid)`
	vus := pooled(t, New(), `size: 2`, work, work, work, work)
	backends := map[string]bool{}
	waits, connects := 0, 0
	for _, vu := range vus {
		for _, pid := range strings.Split(vu.run(`[...pids].join()`), ",") {
			backends[pid] = true
		}
		m := vu.measured()
		waits += len(m["pg_pool_wait"])
		connects += len(m["pg_connect"])
	}
	if len(backends) > 2 || connects != 2 || waits != 80 {
		t.Errorf("a pool of 2 had the backends %v and %d connects; 4 VUs waited %d times, not 80", backends, connects, waits)
	}
}

func TestPoolTransaction(t *testing.T) {
	vu := pooled(t, New(), `size: 2, protocol: 'extended'`, `
		const pid = (of) => of.query('SELECT pg_backend_pid() AS pid')[0].pid;
		inside = pool.transaction((tx) => pid(tx) === pid(tx));
		other = pool.transaction((tx) => pid(tx) !== pid(pool));
		try { pool.transaction(() => { throw new Error('mine') }) } catch (e) { thrown = e.message }
		again = pool.transaction((tx) => pid(tx) !== pid(pool));`)[0]
	vu.gives(`[inside, other, thrown, again].join(' ')`, "true true mine true")
}

// TestPoolFillsAsFarAsItCan has a server that lets two clients in.
func TestPoolFillsAsFarAsItCan(t *testing.T) {
	relay, dsn := newRelay(t, testDSN(t), nil)
	relay.most.Store(2)
	vus := together(t, New(), `const pool = pg.pool({ dsn: '`+dsn+`', size: 5 })`, `total = pool.fill()`,
		`total = pool.fill()`)
	refused := len(vus[0].measured()["pg_errors"]) + len(vus[1].measured()["pg_errors"])
	if first, second := vus[0].run(`total`), vus[1].run(`total`); first != "2" || second != "2" || refused != 3 {
		t.Errorf("the pool has %s connections, or %s, and was refused %d", first, second, refused)
	}
	got := vus[0].run(`const one = pool.query('SELECT 1 AS one')[0].one; one + ' ' + pool.connected()`)
	if got != "1 true" {
		t.Errorf("a statement over what there is, and connected(): %s", got)
	}
}

func TestPoolReplacesDropped(t *testing.T) {
	vu := pooled(t, New(), `size: 1, protocol: 'simple'`, `
		try { pool.exec('SELECT pg_terminate_backend(pg_backend_pid())') } catch (e) { code = e.code }
		one = pool.query('SELECT 1 AS one')[0].one`)[0]
	vu.gives(`code + ' ' + one`, "57P01 1")
	if m := vu.measured(); sum(m["pg_reconnects"]) != 1 {
		t.Errorf("pg_reconnects is %v", m["pg_reconnects"])
	}
}

func TestPoolRefused(t *testing.T) {
	s := newScript(t, New()).started()
	got := s.run(`const pool = pg.pool({ dsn: 'host=127.0.0.1 port=1', size: 1 });
		const before = pool.connected(); let code;
		try { pool.exec('SELECT 1') } catch (e) { code = e.code }
		[before, code, pool.connected()].join()`)
	if got != "true,refused,false" || len(s.measured()["pg_errors"]) != 1 {
		t.Errorf("connected(), an error's code and connected() again are %s", got)
	}
}
