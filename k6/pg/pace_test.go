package pg

import (
	"slices"
	"testing"

	"pooler-lab/internal/shared"
)

// inAnyPhase are the values of a metric, in the order of their phases.
func inAnyPhase(m map[string][]float64, metric string) []float64 {
	return append(slices.Clone(m[metric+"{measure}"]), m[metric+"{after}"]...)
}

// dropped is how many iterations of all VUs were due in the window and never began.
func dropped(m *Module) (count int) {
	for _, p := range m.pacers.list {
		count += p.dropped(m.phases.current.Load().to)
	}
	return count
}

// Those that were due while one was held up begin late, and are timed from when they were due.
func TestPaceCatchesUp(t *testing.T) {
	s := arrivals(t, New(), `{ clients: 1, seconds: 1 }`, `
		window.ready();
		const pace = pg.pace({ rate: 100, clients: 1 });
		for (let n = 0; pace.wait(); n++) { if (n === 20) sleep(400); pace.done() }`)[0]
	m := s.measured()
	// Of the 40 that are due meanwhile, all but the first and those that are due within an interval of the end.
	if late := len(inAnyPhase(m, "pg_late")); late < 34 {
		t.Errorf("a stall of 400 ms at 100 per second made %d iterations late", late)
	}
	responses := inAnyPhase(m, "pg_response_time")
	if lost := dropped(s.module); len(responses)+lost != 100 {
		t.Errorf("a second at 100 per second had %d iterations, and %d were dropped", len(responses), lost)
	}
	if stalled, next := responses[20], responses[21]; stalled < 399 || next < 380 {
		t.Errorf("the stalled iteration took %v ms and the next one %v, from when they were due", stalled, next)
	}
}

func TestPaceDrops(t *testing.T) {
	module := New()
	arrivals(t, module, `{ clients: 1, seconds: 1 }`, `
		window.ready();
		const pace = pg.pace({ rate: 10, clients: 1 });
		for (let n = 0; n < 3; n++) pace.wait()`)
	if lost := dropped(module); lost != 7 {
		t.Errorf("%d iterations were dropped, not 7", lost)
	}
}

func TestPaceAlternates(t *testing.T) {
	module := New()
	code := `window.ready(); const pace = pg.pace({ rate: 20, clients: 2 }); pace.wait()`
	arrivals(t, module, `{ clients: 2, seconds: 1 }`, code, code)
	first, second := module.pacers.list[0], module.pacers.list[1]
	if apart := second.first.Sub(first.first); apart != shared.Seconds(0.05) || first.interval != shared.Seconds(0.1) {
		t.Errorf("two VUs at 20 per second begin %v apart and iterate every %v", apart, first.interval)
	}
}
