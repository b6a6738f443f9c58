package pg

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"pooler-lab/test/testkit"
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

// A window that is to open at a steady rate opens when the clients have done the same for a while, all of them at work.
func TestWindowOpensAtASteadyRate(t *testing.T) {
	const work = `window.ready(); do sleep(pause()); while (!window.over())`
	always := func(ms float64) func(time.Duration) float64 { return func(time.Duration) float64 { return ms } }
	for name, test := range map[string]struct {
		options     string
		pause       func(time.Duration) float64 // ms of an iteration so long after the first
		least, most float64                     // seconds that the clients iterate before the window
	}{
		"steady at once":     {`least: 0, most: 15`, always(2), 1, 1},
		"least":              {`least: 3, most: 15`, always(2), 3, 3},
		"too slow to tell":   {`least: 0, most: 15`, always(400), 1, 1},
		"faster for a while": {`least: 0, most: 15`, warmsUpIn(2 * time.Second), 2, 5},
		"never steady":       {`least: 0, most: 2`, warmsUpIn(4 * time.Second), 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				module, began := New(), time.Now()
				pause := func() float64 { return test.pause(time.Since(began)) }
				vus := make([]*script, 2)
				var through sync.WaitGroup
				for at := range vus {
					vus[at] = newScript(t, module)
					vus[at].set("sleep", func(ms float64) { time.Sleep(milliseconds(ms)) })
					vus[at].set("pause", pause)
					vus[at].run(`const window = pg.window({ clients: 2, seconds: 1, ` + test.options + ` })`)
					vus[at].started()
					through.Go(func() {
						if _, err := vus[at].try(work); err != nil {
							t.Error(err)
						}
					})
				}
				through.Wait()
				w := module.ending(0).Window
				if took := w.Start.Sub(began).Seconds(); took < test.least || took > test.most || w.WarmedSeconds != took {
					t.Errorf("the window is %+v, it opened after %v s", w, took)
				}
				done, want := int64(0), int64(2*1000/test.pause(w.Start.Sub(began)))
				for _, n := range w.Tenths {
					done += n
				}
				if len(w.Tenths) != 10 || done < want-2 {
					t.Errorf("in its tenths %v iterations ended, about %d in all", w.Tenths, want)
				}
				module.finish(time.Now())
			})
		})
	}
}

// warmsUpIn is the pause of clients that need four times as long for an iteration at first.
func warmsUpIn(warm time.Duration) func(time.Duration) float64 {
	return func(since time.Duration) float64 { return max(1, 4-3*float64(since)/float64(warm)) }
}

// A test that ends while its clients warm up has no window.
func TestWindowThatIsNotSteadyYet(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		module := New()
		arrivals(t, module, `{ clients: 1, seconds: 1, least: 0, most: 15 }`, `window.ready(); sleep(500); window.over()`)
		module.finish(time.Now())
		if got := module.ending(0); got.Window != nil || got.Unopened != "its clients' rate wasn't steady yet" {
			t.Errorf("the test ended with %+v", got)
		}
	})
}

// Where no client could get ready, no rate is to blame.
func TestWindowWhoseClientsFailed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		module := New()
		arrivals(t, module, `{ clients: 1, seconds: 1, least: 0, most: 15 }`, `window.fail()`)
		module.finish(time.Now())
		if got := module.ending(0); got.Window != nil || got.Unopened != "0 of 1 clients were ready" {
			t.Errorf("the test ended with %+v", got)
		}
	})
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
