package pg

import (
	"sync"
	"testing"
	"time"
)

// arrivals runs the same window in several VUs at once, each with its own
// code, and returns when all of them have come through.
func arrivals(t *testing.T, module *Module, options string, code ...string) []*script {
	t.Helper()
	vus := make([]*script, len(code))
	var through sync.WaitGroup
	for at := range code {
		vus[at] = newScript(t, module)
		vus[at].run(`const window = pg.window(` + options + `)`)
		vus[at].started()
		through.Go(func() {
			if _, err := vus[at].try(code[at]); err != nil {
				t.Error(err)
			}
		})
	}
	through.Wait()
	return vus
}

func TestWindowOpensWhenAllAreReady(t *testing.T) {
	module := New()
	s := arrivals(t, module, `{ clients: 3, seconds: 1 }`, `window.ready()`, `window.ready()`, `window.fail()`)
	open := module.schedule.open.Load()
	if length := open.end.Sub(open.start); length != time.Second {
		t.Errorf("the window is %v long, not a second", length)
	}
	if got := module.ending().Window; got.Ready != 2 || got.Failed != 1 {
		t.Errorf("at its opening there were %+v", got)
	}
	s[0].run(`pg.window({ clients: 3, seconds: 1 }).ready()`) // one more than there are
	if got := module.ending().Window; got.Ready != 2 {
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
	for module.schedule.unopened() != "1 of 2 clients were ready" {
		time.Sleep(time.Millisecond)
	}
	if phase := module.schedule.phaseAt(time.Now()); phase != phaseWarmup {
		t.Errorf("while it waits the phase is %q", phase)
	}
	s.CancelContext()
	if err := <-through; err == nil {
		t.Error("ready() came back without an error from a stopped test")
	}
	module.finish(time.Now())
	if got := module.ending(); got.Window != nil || got.Unopened != "1 of 2 clients were ready" {
		t.Errorf("the test ended with %+v", got)
	}
}

// A statement that is stuck is cancelled when the window has been over for long enough.
func TestStatementsThatOutlastTheWindow(t *testing.T) {
	dsn := testDSN(t)
	module := New()
	module.schedule.patience = time.Millisecond
	s := newScript(t, module)
	s.run(`const window = pg.window({ clients: 1, seconds: 0.001 });
		const client = pg.client({ dsn: '` + dsn + `', path: 'direct' })`)
	s.started()
	got := s.run(`client.connect(); window.ready(); let code;
		try { client.exec('SELECT pg_sleep(3600)') } catch (e) { code = e.code } code`)
	if got != "cancelled" {
		t.Errorf("it ended with %s", got)
	}
}

func TestPhases(t *testing.T) {
	var s schedule
	now := time.Now()
	if got := s.phaseAt(now); got != phaseNone {
		t.Errorf("without a window the phase is %q", got)
	}
	s.used.Store(true)
	if got := s.phaseAt(now); got != phaseWarmup {
		t.Errorf("before the window opens the phase is %q", got)
	}
	s.open.Store(&span{start: now, end: now.Add(time.Second)})
	for offset, want := range map[time.Duration]phase{
		-time.Millisecond:       phaseWarmup,
		0:                       phaseMeasure,
		time.Second:             phaseMeasure,
		1001 * time.Millisecond: phaseAfter,
	} {
		if got := s.phaseAt(now.Add(offset)); got != want {
			t.Errorf("%v into the window the phase is %q, not %q", offset, got, want)
		}
	}
}

func TestEnding(t *testing.T) {
	module := New()
	s := arrivals(t, module, `{ clients: 1, seconds: 3600 }`,
		`window.ready(); try { pg.client({ dsn: 'host=127.0.0.1 port=1' }).connect() } catch (e) {}`)[0]
	module.finish(time.Now())
	ending := module.ending()
	if w := ending.Window; w.Seconds >= 3600 || w.Ready != 1 || ending.Unopened != "" {
		t.Errorf("the window was %+v", w)
	}
	if e := ending.Errors; len(e) != 1 || e[0].Phase != "measure" || e[0].Code != "refused" || e[0].Count != 1 {
		t.Errorf("the errors are %+v", e)
	}
	m := s.measured()
	if len(m["pg_window"]) != 1 || m["pg_window"][0] != ending.Window.Seconds || m["pg_clients_ready"][0] != 1 {
		t.Errorf("the end of the test reported %v", m)
	}
}
