package pg

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// fixed runs fixed iterations in several VUs at once, each with its own code. They live in a bubble: what they do takes
// no time but where they sleep, which takes milliseconds.
func fixed(t *testing.T, options string, code ...string) *Module {
	t.Helper()
	module := New()
	for at := range code {
		code[at] = strings.ReplaceAll(code[at], "all", "fixed.start(); fixed.iteration(); fixed.iteration(); fixed.end();")
	}
	together(t, module, `const fixed = pg.fixedIterations(`+options+`);`, code...)
	module.finish(time.Now())
	return module
}

func TestFixedIterations(t *testing.T) {
	for name, test := range map[string]struct {
		clients []string
		want    string // connected, finished, starved; ready, failed, milliseconds of the window
	}{
		"all finish":         {[]string{`all`, `all`, `all`}, "3 3 0; 3 0 0"},
		"the slowest counts": {[]string{`all`, `fixed.start(); sleep(400); all`}, "2 2 0; 2 0 400"},
		"one is refused":     {[]string{`all`, `fixed.start(); fixed.end()`}, "1 1 0; 1 1 0"},
		"one fails halfway":  {[]string{`all`, `fixed.start(); fixed.iteration(); fixed.end()`}, "2 1 0; 2 0 0"},
		"one starves":        {[]string{`all`, `fixed.start(); fixed.connected(); sleep(5000); all`}, "2 1 1; 2 0 4000"},
		"one never connects": {[]string{`all`, `fixed.start(); sleep(5000); all`}, "1 1 1; 1 1 4000"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				ending := fixed(t, fmt.Sprintf(`{ clients: %d, iterations: 2, seconds: 4 }`, len(test.clients)),
					test.clients...).ending(0)
				f, w := ending.Finish, ending.Window
				got := fmt.Sprintf("%d %d %d; %d %d %.0f", f.Connected, f.Finished, f.Starved, w.Ready, w.Failed, 1000*w.Seconds)
				if got != test.want || f.Seconds != w.Seconds {
					t.Errorf("it ended with %s, not %s", got, test.want)
				}
			})
		})
	}
}

func TestConnectTimesOfFixedIterations(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const connecting = `fixed.start(); sleep(200); fixed.connected(); sleep(100); fixed.connected(); all`
		f := fixed(t, `{ clients: 2, iterations: 2, seconds: 4 }`, connecting, `sleep(100);`+connecting).ending(0).Finish
		if f.ConnectedSeconds != 0.3 || f.MeanConnectSeconds != 0.2 {
			t.Errorf("connects of 0.2 s, 0.1 s apart, took %v s on average; the last client was connected after %v s",
				f.MeanConnectSeconds, f.ConnectedSeconds)
		}
	})
}

// What is done before the first start is warm-up, and what comes after the last end isn't measured either.
func TestPhasesOfFixedIterations(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		module := New()
		s := together(t, module, `const fixed = pg.fixedIterations({ clients: 1, iterations: 1, seconds: 4 })`,
			`const phases = [pg.phase()];
			for (const call of ['start', 'end']) { fixed[call](); phases.push(pg.phase()); sleep(1) }`)[0]
		s.gives(`phases.join()`, "warmup,measure,after")
	})
}
