package pg

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pooler-lab/k6/summary"
)

// work is what a client of a pair does: iterations of a millisecond.
const work = `slots.ready(); while (slots.wait()) while (!slots.over()) sleep(1); slots.leave();`

// alternating is the clients of a pair, each a VU of the same module.
type alternating struct {
	t       *testing.T
	module  *Module
	clients []*script
	through sync.WaitGroup
}

// alternate starts clients with their code; a name of a side is before it, as in "of: work()". They go on in slots of
// 30 ms until they have done so for at_most seconds, which is 1.5 unless options, JavaScript's, say otherwise.
func alternate(t *testing.T, module *Module, options string, code ...string) *alternating {
	t.Helper()
	a := &alternating{t: t, module: module}
	var counts [summary.Sides]int
	for _, text := range code {
		if strings.HasPrefix(text, "to:") {
			counts[summary.To]++
		} else {
			counts[summary.Of]++
		}
	}
	for _, text := range code {
		side, rest, _ := strings.Cut(text, ":")
		s := newScript(t, module).started()
		for name, function := range map[string]any{
			"sleep": func(ms float64) { time.Sleep(milliseconds(ms)) },
			"stuck": func() { <-module.slots.ended },
		} {
			if err := s.VU.Runtime().Set(name, function); err != nil {
				t.Fatal(err)
			}
		}
		s.run(fmt.Sprintf(`const slots = pg.slots({ clients: [%d, %d], slot: 30, at_most: 1.5, seed: 7,
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

// ended waits until all clients are through, and returns how the pair ended.
func (a *alternating) ended() *summary.Pair {
	a.through.Wait()
	a.module.finish(time.Now())
	return a.module.slots.pair(&a.module.errors)
}

// slotAt is the slot that was under way at a moment, a number of milliseconds since 1970.
func (a *alternating) slotAt(moment int64) *slot {
	var found *slot
	for at := range a.module.slots.all {
		if in := &a.module.slots.all[at]; in.begin.UnixMilli() <= moment {
			found = in
		}
	}
	return found
}

// Each client is at work in slots of its own side alone: from the beginning of each until the next one's.
func TestSidesNeverOverlap(t *testing.T) {
	t.Parallel()
	const noting = `const times = []; slots.ready();
		while (slots.wait()) while (!slots.over()) { times.push(Date.now()); sleep(3); times.push(Date.now()) }`
	a := alternate(t, New(), `{}`, "of:"+noting, "of:"+noting, "to:"+noting)
	p := a.ended()
	if p.Groups < 1 || p.Failure != "" || p.TooSlow != "" {
		t.Fatalf("the pair is %+v", p)
	}
	for at, s := range a.clients {
		side := map[int]int{2: summary.To}[at]
		var times []int64
		value, err := s.try(`times`)
		if err == nil {
			err = s.VU.Runtime().ExportTo(value, &times)
		}
		if err != nil || len(times) == 0 {
			t.Fatalf("client %d noted %v, %v", at, times, err)
		}
		for _, moment := range times {
			// A moment is whole milliseconds: the slot that ended in the same one may be meant.
			if now, before := a.slotAt(moment), a.slotAt(moment-1); now.side != side && before.side != side {
				t.Errorf("client %d of side %d was at work in a slot of side %d", at, side, now.side)
			}
		}
	}
	slots := a.module.slots.all
	for at := 1; at < len(slots); at++ {
		if slots[at].begin.Before(slots[at-1].to) {
			t.Errorf("slot %d begins before the counted part of slot %d has ended", at, at-1)
		}
	}
}

// What is counted in a slot of a side is pushed before the group's number; groups and sides have the same sums.
func TestGroupIsComplete(t *testing.T) {
	t.Parallel()
	const counting = `const iterations = pg.iterations({ connects: true }); slots.ready();
		while (slots.wait()) while (!slots.over()) { sleep(1); iterations.done() }`
	a := alternate(t, New(), `{}`, "of:"+counting, "to:"+counting, "to:"+counting)
	p := a.ended()
	measured, groups := 0.0, 0
	for at, s := range a.clients {
		m := s.measured()
		for _, count := range m["pg_iterations{measure}"] {
			measured += count
		}
		if sum(m["pg_iterations{measure}"]) != sum(m["pg_opening_iterations{measure}"]) {
			t.Errorf("client %d measured %v", at, m)
		}
		if sum(m["pg_iterations{warmup}"]) == 0 || sum(m["pg_iterations{after}"]) == 0 {
			t.Errorf("client %d has no iteration in the calibration, or in leads: %v", at, m)
		}
		groups += len(m["pg_group{measure}"])
	}
	if groups != p.Groups || p.Groups < 1 || measured == 0 {
		t.Errorf("%d of %d groups were told; %v iterations were measured", groups, p.Groups, measured)
	}
	for side, s := range p.Sides {
		if seconds := 0.03 * 2 * float64(p.Groups); s.Window == nil || s.Window.Seconds < seconds-1e-6 ||
			s.Window.Seconds > seconds+1e-6 || s.Window.Ready != side+1 {
			t.Errorf("side %d has the window %+v after %d groups", side, s.Window, p.Groups)
		}
		if used := p.HostCPU[side]; used == nil || *used < 0 || *used > 1 {
			t.Errorf("side %d had a share %v of the host's CPUs in use", side, used)
		}
	}
	for at, g := range a.module.slots.groups {
		if g.Number != at+1 || orders[g.Order] == nil || !g.End.After(g.Start) {
			t.Errorf("a group is %+v", g)
		}
	}
}

// The slower side's median iteration chooses the length of the slots.
func TestCalibration(t *testing.T) {
	t.Parallel()
	const slow = `slots.ready(); while (slots.wait()) while (!slots.over()) sleep(16)`
	a := alternate(t, New(), `{ slot: 0, at_most: 0.1 }`, "of:"+work, "to:"+slow)
	p := a.ended()
	if p.MedianMS[summary.Of] < 1 || p.MedianMS[summary.To] < 16 {
		t.Errorf("iterations of 1 and 16 ms take %v", p.MedianMS)
	}
	want := slotFor([summary.Sides]time.Duration{milliseconds(p.MedianMS[0]), milliseconds(p.MedianMS[1])})
	if p.SlotMS != inMilliseconds(want) || want > 0 && (p.SlotMS < 400 || p.Groups != 1) {
		t.Errorf("the pair is %+v", p)
	}
}

func TestTooSlow(t *testing.T) {
	t.Parallel()
	const slow = `slots.ready(); while (slots.wait()) while (!slots.over()) sleep(60)`
	for name, test := range map[string]struct {
		options, of, to string
		want            string
	}{
		"no slot is long enough": {`{ slot: 0 }`, work, slow, `an iteration of the side "to" takes `},
		"too few groups":         {`{ slot: 300, fewest: 20, at_most: 20 }`, work, work, `20 groups of slots of 300ms take `},
		"never":                  {`{ slot: 0 }`, `slots.ready(); slots.wait(); stuck()`, work, `1 clients of the side "of"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			module := New()
			module.slots.patience = 300 * time.Millisecond
			p := alternate(t, module, test.options, "of:"+test.of, "to:"+test.to).ended()
			if !strings.HasPrefix(p.TooSlow, test.want) || p.Groups != 0 || p.SlotMS != 0 || p.Sides[0].Window != nil {
				t.Errorf("the pair is %+v", p)
			}
		})
	}
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
	t.Parallel()
	stop := filepath.Join(t.TempDir(), "stop")
	if err := os.WriteFile(stop, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := alternate(t, New(), `{ at_most: 600, stop: '`+stop+`' }`, "of:"+work, "to:"+work).ended()
	if p.Groups != 1 || p.Failure != "" {
		t.Errorf("the pair is %+v", p)
	}
}

// Clients that fail or leave don't hold the others.
func TestClientsThatAreNotReady(t *testing.T) {
	t.Parallel()
	p := alternate(t, New(), `{ at_most: 3 }`, "of:"+work, "of:"+strings.Replace(work, "ready", "fail", 1),
		"to:"+work, "to: slots.leave()").ended()
	for side, name := range summary.SideNames {
		if w := p.Sides[side].Window; w == nil || w.Ready != 1 || w.Failed != 1 {
			t.Errorf("of two clients of the side %q, one of which failed, the window has %+v", name, w)
		}
	}
	if p.Groups < 1 || p.Failure != "" {
		t.Errorf("the pair is %+v", p)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	const twice = `slots.ready(); for (let n = 0; n < 2; n++) { slots.wait(); while (!slots.over()) sleep(1) } `
	for name, test := range map[string]struct{ to, want string }{
		"nobody is ready": {`slots.fail(); slots.wait()`, `no client of the side "to" is ready`},
		"nobody is left":  {twice + `slots.leave()`, `no client of the side "to" is left`},
		"one is stuck":    {twice + `stuck()`, `1 clients of the side "to" have not ended their iterations`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			module := New()
			module.slots.patience = 300 * time.Millisecond
			a := alternate(t, module, `{ at_most: 600 }`, "of:"+work, "to:"+test.to)
			p := a.ended()
			if !strings.HasPrefix(p.Failure, test.want) || p.Groups != 0 {
				t.Errorf("the pair is %+v", p)
			}
			for at, s := range a.clients {
				if got := s.run(`slots.wait() + ' ' + slots.over()`); got != "false true" {
					t.Errorf("client %d goes on: %s", at, got)
				}
			}
			if ctx := module.slots.members[summary.To].first.context(); ctx.Err() == nil {
				t.Error("a statement that is stuck isn't cancelled")
			}
		})
	}
}

// A test that is stopped has its whole groups, and that is no failure.
func TestStoppedPair(t *testing.T) {
	t.Parallel()
	module := New()
	a := alternate(t, module, `{ at_most: 600 }`, "of:"+work, "to:"+work, "to:"+work)
	whole := func() int {
		module.slots.mu.Lock()
		defer module.slots.mu.Unlock()
		return len(module.slots.groups)
	}
	for deadline := time.Now().Add(time.Minute); whole() == 0; {
		if time.Sleep(5 * time.Millisecond); time.Now().After(deadline) {
			t.Fatal("there is no group")
		}
	}
	for _, s := range a.clients {
		s.CancelContext()
	}
	p := a.ended()
	told := 0
	for _, s := range a.clients {
		told += len(s.measured()["pg_group{measure}"])
	}
	if p.Failure != "" || p.Groups < 1 || told != p.Groups {
		t.Errorf("%d groups were told of %+v", told, p)
	}
}

func TestPhasesInSlots(t *testing.T) {
	var s slots
	of, to := participant{slots: &s, side: summary.Of}, participant{slots: &s, side: summary.To}
	begin := time.Now()
	from, end := begin.Add(time.Second), begin.Add(2*time.Second)
	if got := of.phaseAt(begin); got != phaseWarmup {
		t.Errorf("before the first slot the phase is %q", got)
	}
	s.current.Store(&slot{begin: begin, from: from, to: end})
	if got := of.phaseAt(from); got != phaseWarmup {
		t.Errorf("in the calibration the phase is %q", got)
	}
	s.current.Store(&slot{group: 1, begin: begin, from: from, to: end})
	for moment, want := range map[time.Time]phase{
		begin:                      phaseAfter,
		from.Add(-time.Nanosecond): phaseAfter,
		from:                       phaseMeasure,
		end.Add(-time.Nanosecond):  phaseMeasure,
		end:                        phaseAfter,
	} {
		if got := of.phaseAt(moment); got != want {
			t.Errorf("%v into the slot the phase is %q, not %q", moment.Sub(begin), got, want)
		}
		if got := to.phaseAt(moment); got != phaseAfter {
			t.Errorf("%v into the other side's slot the phase is %q", moment.Sub(begin), got)
		}
	}
}

func TestSlotsMisused(t *testing.T) {
	const right = `clients: [1, 1], at_most: 1`
	for name, code := range map[string]string{
		"no side":          `pg.slots({ ` + right + ` })`,
		"another side":     `pg.slots({ side: 'A', ` + right + ` })`,
		"no clients":       `pg.slots({ side: 'of', clients: [1, 0], at_most: 1 })`,
		"no time":          `pg.slots({ side: 'of', clients: [1, 1] })`,
		"too many clients": `pg.slots({ side: 'of', ` + right + ` }); pg.slots({ side: 'of', ` + right + ` })`,
		"another one": `pg.slots({ side: 'of', ` + right + ` });
			pg.slots({ side: 'to', clients: [1, 1], at_most: 2 })`,
		"beside window": `pg.window({ clients: 1, seconds: 1 }); pg.slots({ side: 'of', ` + right + ` })`,
	} {
		s := newScript(t, New()).started()
		if got := s.run(`try { ` + code + `; 'nothing' } catch (e) { 'threw' }`); got != "threw" {
			t.Errorf("%s: %s was thrown", name, got)
		}
		s.module.finish(time.Now())
	}
	got := newScript(t, New()).run(`try { pg.slots({}) } catch (e) { String(e) }`)
	if !strings.Contains(got, "init context") {
		t.Errorf("in the init context it threw %s", got)
	}
}

func TestPlaces(t *testing.T) {
	const options = `({ clients: [2, 2], at_most: 1, side: `
	module, seen := New(), map[string]bool{}
	for _, side := range []string{"of", "to", "to", "of"} {
		seen[side+newScript(t, module).started().run(`pg.slots`+options+`'`+side+`' }).place`)] = true
	}
	module.finish(time.Now())
	if len(seen) != 4 || !seen["of0"] || !seen["to1"] {
		t.Errorf("the clients' places are %v", seen)
	}
}
