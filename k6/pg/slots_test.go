package pg

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pooler-lab/internal/shared"
	"pooler-lab/k6/summary"
)

// work is what a client of a pair does: iterations of a millisecond.
const work = `slots.ready(); while (slots.wait()) while (!slots.over()) sleep(1); slots.leave();`

// alternating is the clients of a pair, each a VU of the same module. They live in a bubble: their clock is not the
// machine's, and what they do takes no time but where they sleep.
type alternating struct {
	t       *testing.T
	module  *Module
	clients []*script
	through sync.WaitGroup

	mu      sync.Mutex
	atWork  [summary.Sides]int
	entered map[int]int // slots by client
}

// alternate starts clients with their code; a name of a side is before it, as in "of: work()". They go on in slots of
// 30 ms until they have done so for at_most seconds, which is 10 unless options, JavaScript's, say otherwise.
func alternate(t *testing.T, options string, code ...string) *alternating {
	t.Helper()
	a := &alternating{t: t, module: New(), entered: map[int]int{}}
	var counts [summary.Sides]int
	for _, text := range code {
		counts[sideOf(text)]++
	}
	for client, text := range code {
		side, rest, _ := strings.Cut(text, ":")
		s := newScript(t, a.module).started()
		for name, function := range map[string]any{
			"sleep": func(ms float64) { time.Sleep(milliseconds(ms)) },
			"stuck": func() { <-a.module.slots.ended },
			"enter": func() { a.enter(client, sideOf(text)) },
			"exit":  func() { a.exit(sideOf(text)) },
		} {
			s.set(name, function)
		}
		s.run(fmt.Sprintf(`const slots = pg.slots({ clients: [%d, %d], slot: 30, at_most: 10, seed: 7,
			...%s, side: '%s' })`, counts[0], counts[1], options, side))
		a.clients = append(a.clients, s)
		a.through.Go(func() {
			if _, err := s.try(rest); err != nil {
				t.Error(err)
			}
		})
	}
	return a
}

// sideOf is the side of a client's code.
func sideOf(text string) int {
	if strings.HasPrefix(text, "to:") {
		return summary.To
	}
	return summary.Of
}

// enter is what a client calls as its slot begins.
func (a *alternating) enter(client, side int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.entered[client]++
	a.atWork[side]++
	if now := a.module.slots.current.Load().side; now != side || a.atWork[1-side] > 0 {
		a.t.Errorf("client %d of side %d goes to work in a slot of side %d, with %v at work", client, side, now, a.atWork)
	}
}

// exit is what a client calls before it waits again.
func (a *alternating) exit(side int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.atWork[side]--
}

// ended waits until all clients are through, and returns how the pair ended.
func (a *alternating) ended() *summary.Test {
	a.through.Wait()
	a.module.finish(time.Now())
	return a.module.ended()
}

// Each client is at work in every slot of its own side, and in no other.
func TestSidesNeverOverlap(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const noting = `slots.ready(); while (slots.wait()) { enter(); while (!slots.over()) sleep(3); exit() }`
		a := alternate(t, `{}`, "of:"+noting, "of:"+noting, "to:"+noting)
		p := a.ended()
		if p.Groups < 2 || p.Failure != "" || p.TooSlow != "" {
			t.Fatalf("the pair is %+v", p)
		}
		slots := a.module.slots.all
		if want := 1 + 2*p.Groups; a.entered[0] != want || a.entered[1] != want || a.entered[2] != want {
			t.Errorf("clients were at work in %v slots, each side has %d", a.entered, want)
		}
		for at := 1; at < len(slots); at++ {
			if slots[at].begin.Before(slots[at-1].to) {
				t.Errorf("slot %d begins before the counted part of slot %d has ended", at, at-1)
			}
		}
	})
}

// What is counted in a slot of a side is pushed before the group's number; groups and sides have the same sums.
func TestGroupIsComplete(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const counting = `const iterations = pg.iterations({ connects: true }); slots.ready();
			while (slots.wait()) while (!slots.over()) { sleep(1); iterations.done() }`
		a := alternate(t, `{}`, "of:"+counting, "to:"+counting, "to:"+counting)
		p := a.ended()
		groups := 0
		for at, s := range a.clients {
			m := s.measured()
			// Two slots of each group, each 30 ms of its iterations.
			if n := sum(m["pg_iterations{measure}"]); n != 2*30*p.Groups || n != sum(m["pg_opening_iterations{measure}"]) {
				t.Errorf("client %d measured %v in %d groups", at, m, p.Groups)
			}
			if sum(m["pg_iterations{warmup}"]) == 0 || sum(m["pg_iterations{after}"]) == 0 {
				t.Errorf("client %d has no iteration in the calibration, or in leads: %v", at, m)
			}
			groups += len(m["pg_group{measure}"])
		}
		if groups != p.Groups || p.Groups < 2 {
			t.Errorf("%d of %d groups were told", groups, p.Groups)
		}
		for side, s := range p.Sides {
			if seconds := 0.03 * 2 * float64(p.Groups); s.Window == nil || math.Abs(s.Window.Seconds-seconds) > 1e-6 ||
				s.Window.Ready != side+1 {
				t.Errorf("side %d has the window %+v after %d groups", side, s.Window, p.Groups)
			}
		}
		for at, g := range a.module.slots.groups {
			if g.Number != at+1 || orders[g.Order] == nil || !g.End.After(g.Start) {
				t.Errorf("a group is %+v", g)
			}
		}
	})
}

// A side has the host's CPU time of its own counted parts, and of no calibration.
func TestHostCPUOfASide(t *testing.T) {
	s := slots{phases: &phases{}}
	ticks := func(busy, all int64) <-chan shared.HostCPU {
		read := make(chan shared.HostCPU, 1)
		read <- shared.HostCPU{Busy: busy, Total: all}
		return read
	}
	s.spent(&slot{side: summary.Of}, ticks(0, 0), ticks(900, 900))
	s.spent(&slot{side: summary.Of, group: 1}, ticks(1000, 2000), ticks(1010, 2040))
	s.spent(&slot{side: summary.Of, group: 1}, ticks(1100, 2200), ticks(1120, 2280))
	unknown := make(chan shared.HostCPU)
	close(unknown)
	s.spent(&slot{side: summary.To, group: 1}, unknown, ticks(1, 1))
	of, to := s.pair().HostCPU[summary.Of], s.pair().HostCPU[summary.To]
	if of == nil || *of != 30.0/120 || to != nil {
		t.Errorf("the sides had shares of %v and %v of the host's CPUs", of, to)
	}
}

// The slower side's median iteration chooses the length of the slots.
func TestCalibration(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const slow = `slots.ready(); while (slots.wait()) while (!slots.over()) sleep(16)`
		p := alternate(t, `{ slot: 0, at_most: 0.1 }`, "of:"+work, "to:"+slow).ended()
		if p.MedianMS != [summary.Sides]float64{1, 16} || p.SlotMS != 400 || p.Groups != 1 {
			t.Errorf("of iterations of 1 and 16 ms the pair is %+v", p)
		}
	})
}

// A pair that lacks some of its fewest groups when its time is over goes on for a while.
func TestTimeOver(t *testing.T) {
	s := slots{options: slotOptions{AtMost: 40, Fewest: 20}}
	for _, test := range []struct {
		groups, all int
		want        bool
	}{{5, 40, false}, {19, 41, false}, {19, 50, false}, {19, 51, true}, {20, 40, false}, {20, 41, true}} {
		if got := s.timeOver(test.groups, time.Duration(test.all)*time.Second); got != test.want {
			t.Errorf("after %d groups, with one more it would take %d s: over: %v", test.groups, test.all, got)
		}
	}
}

func TestStopFile(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		stop := filepath.Join(t.TempDir(), "stop")
		if err := os.WriteFile(stop, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		p := alternate(t, `{ at_most: 600, stop: '`+stop+`' }`, "of:"+work, "to:"+work).ended()
		if p.Groups != 1 || p.Failure != "" {
			t.Errorf("the pair is %+v", p)
		}
	})
}

// Clients that fail or leave don't hold the others.
func TestClientsThatAreNotReady(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := alternate(t, `{}`, "of:"+work, "of:"+strings.Replace(work, "ready", "fail", 1),
			"to:"+work, "to: slots.leave()").ended()
		for side, name := range summary.SideNames {
			if w := p.Sides[side].Window; w == nil || w.Ready != 1 || w.Failed != 1 {
				t.Errorf("of two clients of the side %q, one of which failed, the window has %+v", name, w)
			}
		}
		if p.Groups < 1 || p.Failure != "" {
			t.Errorf("the pair is %+v", p)
		}
	})
}

// What ends a pair before its time ends it for all clients, and cancels their statements, but not those of others.
func TestPairsThatEnd(t *testing.T) {
	const slow = `slots.ready(); while (slots.wait()) while (!slots.over()) sleep(60)`
	const twice = `slots.ready(); for (let n = 0; n < 2; n++) { slots.wait(); while (!slots.over()) sleep(1) } `
	stuck := func(side string) string {
		return `1 clients of the side "` + side + `" have not ended their iterations 10s after the end of a slot`
	}
	for name, test := range map[string]struct{ options, of, to, tooSlow, failure string }{
		"no slot is long enough": {`{ slot: 0 }`, work, slow,
			`an iteration of the side "to" takes 60ms: 20 of them don't fit into a slot of 900ms`, ""},
		"too few groups": {`{ slot: 300, fewest: 20, at_most: 20 }`, work, work,
			`20 groups of slots of 300ms take 36 s, and 20 s are allowed`, ""},
		"one is stuck at once": {`{ slot: 0 }`, `slots.ready(); slots.wait(); stuck()`, work, stuck("of"), ""},
		"one is stuck":         {`{ at_most: 600 }`, work, twice + `stuck()`, "", stuck("to")},
		"nobody is ready":      {`{}`, work, `slots.fail(); slots.wait()`, "", `no client of the side "to" is ready`},
		"nobody is left":       {`{ at_most: 600 }`, work, twice + `slots.leave()`, "", `no client of the side "to" is left`},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				a := alternate(t, test.options, "of:"+test.of, "to:"+test.to)
				p := a.ended()
				if p.TooSlow != test.tooSlow || p.Failure != test.failure || p.Groups != 0 {
					t.Errorf("the pair is %+v", p)
				}
				for _, s := range a.clients {
					s.gives(`slots.wait() + ' ' + slots.over()`, "false true")
				}
				other := &instance{Module: a.module, vu: newScript(t, a.module).started().VU}
				client, others := a.module.phases.sides[summary.To].first.context(), other.context()
				synctest.Wait()
				if client.Err() == nil || others.Err() != nil {
					t.Errorf("statements end with %v, those of a VU that takes no part with %v", client.Err(), others.Err())
				}
			})
		})
	}
}
