package pg

import (
	"fmt"
	"math"
	"strconv"
	"sync"
	"testing"
	"time"
)

// racing runs a race in several VUs at once, each with its own code, and
// returns how it ended.
func racing(t *testing.T, options string, code ...string) string {
	t.Helper()
	module := New()
	const sleep = `const sleep = (ms) => { for (const end = Date.now() + ms; Date.now() < end;); };`
	together(t, module, sleep+`const race = pg.race(`+options+`)`, code...)
	module.finish(time.Now())
	window, f := module.ending().Window, module.ending().Finish
	return fmt.Sprint(f.Connected, f.Finished, f.Starved, window.Ready, window.Failed,
		f.Seconds == window.Seconds, math.Round(f.Seconds*5))
}

func TestRace(t *testing.T) {
	const (
		connected = `race.start(); race.connected();`
		both      = `race.iteration(); race.iteration(); race.end()`
		through   = connected + both
	)
	for _, test := range []struct {
		name    string
		seconds string
		clients []string
		want    string // connected, finished, starved, ready, failed, whether the window is the race, fifths of a second
	}{
		{"all finish", "30", []string{through, through, through}, "3 3 0 3 0 true 0"},
		{"the slowest counts", "30", []string{through, connected + `sleep(400);` + both}, "2 2 0 2 0 true 2"},
		{"one is refused", "30", []string{through, `race.start(); race.end()`}, "1 1 0 1 1 true 0"},
		{"one fails halfway", "30", []string{through, connected + `race.iteration(); race.end()`}, "2 1 0 2 0 true 0"},
		{"one starves", "0.4", []string{through, connected + `sleep(500); race.iteration(); race.end()`}, "2 1 1 2 0 true 2"},
		{"one waits for its connect", "0.4", []string{through, `race.start(); sleep(500); race.connected(); race.end()`},
			"1 1 1 1 1 true 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := `{ clients: ` + strconv.Itoa(len(test.clients)) + `, iterations: 2, seconds: ` + test.seconds + ` }`
			if got := racing(t, options, test.clients...); got != test.want {
				t.Errorf("it ended with %s, not %s", got, test.want)
			}
		})
	}
}

func TestRaceConnectTimes(t *testing.T) {
	s := together(t, New(), `const race = pg.race({ clients: 1, iterations: 1, seconds: 30 })`, `race.start();
		for (const end = Date.now() + 200; Date.now() < end;);
		race.connected(); race.connected(); race.iteration(); race.end()`)[0]
	f := s.module.ending().Finish
	for name, seconds := range map[string]float64{"until connected": f.ConnectedSeconds,
		"on average": f.MeanConnectSeconds} {
		if seconds < 0.19 || seconds > 0.6 {
			t.Errorf("a connect of 0.2 s took %v s %s", seconds, name)
		}
	}
}

func TestRaceIsTheWindow(t *testing.T) {
	const client = `try { pg.client({ dsn: 'host=127.0.0.1 port=1' }).connect() } catch (e) {}`
	s := together(t, New(), `const race = pg.race({ clients: 1, iterations: 1, seconds: 30 })`,
		`const before = pg.phase(); race.start(); `+client+` race.iteration(); const within = pg.phase(); race.end();
		for (const end = Date.now() + 2; Date.now() < end;); `+client)[0]
	got := s.run(`before + ' ' + within`)
	for _, e := range s.module.ending().Errors {
		got += " " + e.Phase
	}
	if want := "warmup measure measure after"; got != want {
		t.Errorf("the phases are %s, not %s", got, want)
	}
}

func TestRaceMisused(t *testing.T) {
	for name, code := range map[string]string{
		"no iterations": `pg.race({ clients: 1, iterations: 0, seconds: 1 })`,
		"another one": `pg.race({ clients: 1, iterations: 1, seconds: 1 });
			pg.race({ clients: 2, iterations: 1, seconds: 1 })`,
		"beside window":       `pg.window({ clients: 1, seconds: 1 }); pg.race({ clients: 1, iterations: 1, seconds: 1 })`,
		"window beside":       `pg.race({ clients: 1, iterations: 1, seconds: 1 }); pg.window({ clients: 1, seconds: 1 })`,
		"iteration too early": `pg.race({ clients: 1, iterations: 1, seconds: 1 }).iteration()`,
	} {
		if got := newScript(t, New()).run(`try { ` + code + `; 'nothing' } catch (e) { 'threw' }`); got != "threw" {
			t.Errorf("%s: %s was thrown", name, got)
		}
	}
}

// together runs code in several VUs of one module at once and returns them.
func together(t *testing.T, module *Module, setting string, code ...string) []*script {
	t.Helper()
	vus := make([]*script, len(code))
	var through sync.WaitGroup
	for at := range code {
		vus[at] = newScript(t, module)
		vus[at].run(setting)
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
