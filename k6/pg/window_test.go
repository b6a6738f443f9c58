package pg

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"pooler-lab/internal/testkit"
)

// arrivals runs code in several VUs at once that share a window, and returns when all of them have come through.
func arrivals(t *testing.T, module *Module, options string, code ...string) []*script {
	t.Helper()
	return together(t, module, `const window = pg.window(`+options+`)`, code...)
}

func TestWindowOpensWhenAllAreReady(t *testing.T) {
	module := New()
	s := arrivals(t, module, `{ clients: 3, seconds: 1 }`, `window.ready()`, `window.ready()`, `window.fail()`)
	open := module.phases.current.Load()
	if length := open.to.Sub(open.from); length != time.Second {
		t.Errorf("the window is %v long, not a second", length)
	}
	if got := module.ending(0).Window; got.Ready != 2 || got.Failed != 1 {
		t.Errorf("at its opening there were %+v", got)
	}
	s[0].run(`pg.window({ clients: 3, seconds: 1 }).ready()`) // one more than there are
	if got := module.ending(0).Window; got.Ready != 2 {
		t.Errorf("after its opening there are %+v", got)
	}
}

// A window that waits for a client says so, however long it waits.
func TestWindowThatWaits(t *testing.T) {
	module := New()
	s := newScript(t, module)
	s.run(`const window = pg.window({ clients: 2, seconds: 1 })`)
	s.started()
	through := make(chan error)
	go func() {
		_, err := s.try(`window.ready()`)
		through <- err
	}()
	for module.ending(0).Unopened != "1 of 2 clients were ready" {
		time.Sleep(time.Millisecond)
	}
	if phase := module.phases.current.Load().phaseAt(0, time.Now()); phase != phaseWarmup {
		t.Errorf("while it waits the phase is %q", phase)
	}
	s.CancelContext()
	if err := <-through; err == nil {
		t.Error("ready() came back without an error from a stopped test")
	}
	module.finish(time.Now())
	if got := module.ending(0); got.Window != nil || got.Unopened != "1 of 2 clients were ready" {
		t.Errorf("the test ended with %+v", got)
	}
}

// A window with a file that stops it is open until that exists. Then it is as long as it has been, and what is stuck is
// cancelled.
func TestWindowIsStopped(t *testing.T) {
	dsn := testDSN(t)
	module := New()
	module.phases.patience = time.Millisecond
	stop := filepath.Join(t.TempDir(), "stop")
	s := newScript(t, module)
	s.run(`const window = pg.window({ clients: 1, seconds: 3600, stop: '` + stop + `' });
		const client = pg.client({ dsn: '` + dsn + `', path: 'direct' })`)
	s.started()
	s.gives(`client.connect(); window.ready(); window.over()`, "false")
	testkit.OK(t, os.WriteFile(stop, nil, 0o600))
	s.gives(`let code; try { client.exec('SELECT pg_sleep(3600)') } catch (e) { code = e.code } code`, "cancelled")
	s.gives(`window.over()`, "true")
	if w := module.ending(0).Window; w.Seconds >= 3600 {
		t.Errorf("the window was %+v", w)
	}
}

// A statement that is stuck is cancelled when the window has been over for long enough.
func TestStatementsThatOutlastTheWindow(t *testing.T) {
	dsn := testDSN(t)
	module := New()
	module.phases.patience = time.Millisecond
	s := newScript(t, module)
	s.run(`const window = pg.window({ clients: 1, seconds: 0.001 });
		const client = pg.client({ dsn: '` + dsn + `', path: 'direct' })`)
	s.started()
	s.gives(`client.connect(); window.ready(); let code;
		try { client.exec('SELECT pg_sleep(3600)') } catch (e) { code = e.code } code`, "cancelled")
}

func TestEnding(t *testing.T) {
	module := New()
	arrivals(t, module, `{ clients: 1, seconds: 3600 }`,
		`window.ready(); try { pg.client({ dsn: 'host=127.0.0.1 port=1' }).connect() } catch (e) {}`)
	module.finish(time.Now())
	ending := module.ending(0)
	if w := ending.Window; w.Seconds >= 3600 || w.Ready != 1 || ending.Unopened != "" {
		t.Errorf("the window was %+v", w)
	}
	if e := ending.Errors; len(e) != 1 || e[0].Phase != "measure" || e[0].Code != "refused" || e[0].Count != 1 {
		t.Errorf("the errors are %+v", e)
	}
}
