package pg

import (
	"math"
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
	began := time.Now()
	arrivals(t, module, `{ clients: 3, warmup: 30, seconds: 1 }`, `window.ready()`, `window.ready()`, `window.fail()`)
	open := module.schedule.open.Load()
	if took := open.start.Sub(began); took > time.Second {
		t.Errorf("the window opened after %v", took)
	}
	if length := open.end.Sub(open.start); length < 30*time.Second || length > 31*time.Second {
		t.Errorf("the window is %v long, not the second and what was left of the warm-up", length)
	}
	if module.schedule.atOpening.ready != 2 || module.schedule.atOpening.failed != 1 || module.schedule.late() != 0 {
		t.Errorf("at its opening there were %+v", module.schedule.atOpening)
	}
}

func TestWindowOpensWithoutTheLate(t *testing.T) {
	module := New()
	began := time.Now()
	arrivals(t, module, `{ clients: 2, warmup: 0.2, seconds: 1 }`, `window.ready()`)
	open := module.schedule.open.Load()
	if took := open.start.Sub(began); took < 190*time.Millisecond || took > time.Second {
		t.Errorf("the window opened after %v, not 200 ms", took)
	}
	if length := open.end.Sub(open.start).Seconds(); math.Abs(length-1) > 0.1 {
		t.Errorf("the window is %v s long", length)
	}
	if module.schedule.atOpening.ready != 1 {
		t.Errorf("at its opening there were %+v", module.schedule.atOpening)
	}
}

func TestWindowOpensWithoutAnybody(t *testing.T) {
	module := New()
	arrivals(t, module, `{ clients: 1, warmup: 0.1, seconds: 1 }`, `
		try { pg.client({ dsn: 'host=127.0.0.1 port=1' }).connect() } catch (e) {}
		for (const end = Date.now() + 300; Date.now() < end;);
		window.ready()`)
	open := module.schedule.open.Load()
	if length := open.end.Sub(open.start).Seconds(); math.Abs(length-1) > 0.1 || module.schedule.atOpening.ready != 0 {
		t.Errorf("a window that nobody was ready for is %v s long, with %+v", length, module.schedule.atOpening)
	}
	if late := module.schedule.late(); late != 1 {
		t.Errorf("%d clients were late, not the one", late)
	}
}

func TestWindowOfStoppedTest(t *testing.T) {
	s := newScript(t, New())
	s.run(`const window = pg.window({ clients: 2, warmup: 30, seconds: 1 })`)
	s.started()
	time.AfterFunc(50*time.Millisecond, s.CancelContext)
	if _, err := s.try(`window.ready()`); err == nil {
		t.Error("ready() came back without an error from a stopped test")
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
	s := arrivals(t, module, `{ clients: 1, warmup: 0, seconds: 60 }`,
		`window.ready(); try { pg.client({ dsn: 'host=127.0.0.1 port=1' }).connect() } catch (e) {}`)[0]
	module.finish(time.Now())
	ending := module.ending()
	if w := ending.Window; w.Seconds > 5 || w.Ready != 1 {
		t.Errorf("the window was %+v", w)
	}
	if e := ending.Errors; len(e) != 1 || e[0].Phase != "measure" || e[0].Code != "refused" || e[0].Count != 1 {
		t.Errorf("the errors are %+v", e)
	}
	m := s.measured()
	if len(m["pg_window"]) != 1 || m["pg_window"][0] > 5 || m["pg_clients_ready"][0] != 1 {
		t.Errorf("the end of the test reported %v", m)
	}
}
