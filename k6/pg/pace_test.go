package pg

import (
	"testing"
)

func TestPaceKeepsTime(t *testing.T) {
	s := arrivals(t, New(), `{ clients: 1, warmup: 0, seconds: 0.5 }`, `
		window.ready();
		const pace = pg.pace({ rate: 50, clients: 1 });
		let iterations = 0;
		while (pace.wait()) { iterations++; pace.done() }`)[0]
	if got := s.run(`String(iterations)`); got != "25" {
		t.Errorf("half a second at 50 per second had %s iterations", got)
	}
	m := s.measured()
	if responses := m["pg_response_time{measure}"]; len(responses) != 25 || responses[12] > 200 {
		t.Errorf("responses of iterations that do nothing are %v ms", responses)
	}
}

func TestPaceCatchesUp(t *testing.T) {
	module := New()
	s := arrivals(t, module, `{ clients: 1, warmup: 0, seconds: 1 }`, `
		window.ready();
		const pace = pg.pace({ rate: 100, clients: 1 });
		const stall = (ms) => { for (const end = Date.now() + ms; Date.now() < end;); };
		for (let n = 0; pace.wait(); n++) { if (n === 20) stall(400); pace.done() }`)[0]
	m := s.measured()
	// At least those that were due meanwhile but for the first; a busy machine makes more.
	if late := len(m["pg_late{measure}"]); late < 34 {
		t.Errorf("a stall of 400 ms at 100 per second made %d iterations late", late)
	}
	responses := m["pg_response_time{measure}"]
	if len(responses) != 100 {
		t.Errorf("a second at 100 per second had %d iterations", len(responses))
	}
	if stalled, next := responses[20], responses[21]; stalled < 399 || next < 380 {
		t.Errorf("the stalled iteration took %v ms and the next one %v, from when they were due", stalled, next)
	}
	if dropped := module.pacers.dropped(*module.schedule.open.Load()); dropped != 0 {
		t.Errorf("%d iterations were dropped", dropped)
	}
}

func TestPaceDrops(t *testing.T) {
	module := New()
	arrivals(t, module, `{ clients: 1, warmup: 0, seconds: 1 }`, `
		window.ready();
		const pace = pg.pace({ rate: 10, clients: 1 });
		for (let n = 0; n < 3; n++) pace.wait()`)
	if dropped := module.pacers.dropped(*module.schedule.open.Load()); dropped != 7 {
		t.Errorf("%d iterations were dropped, not 7", dropped)
	}
}

func TestPaceAlternates(t *testing.T) {
	module := New()
	code := `window.ready(); const pace = pg.pace({ rate: 20, clients: 2 }); pace.wait()`
	arrivals(t, module, `{ clients: 2, warmup: 30, seconds: 1 }`, code, code)
	first, second := module.pacers.list[0], module.pacers.list[1]
	if apart := second.first.Sub(first.first); apart != seconds(0.05) || first.interval != seconds(0.1) {
		t.Errorf("two VUs at 20 per second begin %v apart and iterate every %v", apart, first.interval)
	}
}
