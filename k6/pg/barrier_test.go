package pg

import (
	"strconv"
	"strings"
	"sync"
	"testing"
)

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

func TestBarrier(t *testing.T) {
	vus := together(t, New(), `const barrier = pg.barrier({ name: 'all', clients: 3 })`,
		`result = barrier.wait()`, `for (const end = Date.now() + 200; Date.now() < end;); result = barrier.wait()`, `result = barrier.fail()`)
	samples := 0
	for _, vu := range vus {
		if got := vu.run(`JSON.stringify([result.ready, result.failed, result.missing])`); got != "[2,1,0]" {
			t.Errorf("the barrier saw %s", got)
		}
		if took, err := strconv.ParseFloat(vu.run(`result.seconds`), 64); err != nil || took < 0.18 || took > 1 {
			t.Errorf("it opened after %v s", took)
		}
		samples += len(vu.measured()["pg_barrier"])
	}
	if samples != 1 {
		t.Errorf("pg_barrier has %d samples", samples)
	}
	if got := vus[0].run(`barrier.wait().ready`); got != "2" {
		t.Errorf("an open barrier let %s through", got)
	}
}

func TestBarrierGivesUp(t *testing.T) {
	vu := together(t, New(), `const barrier = pg.barrier({ clients: 2, timeout: 0.1 })`, `result = barrier.wait()`)[0]
	if got := vu.run(`result.missing`); got != "1" {
		t.Errorf("%s VUs are missing", got)
	}
}

func TestBarrierOfStoppedTest(t *testing.T) {
	s := newScript(t, New()).started()
	s.CancelContext()
	if _, err := s.try(`pg.barrier({ clients: 2 }).wait()`); err == nil || !strings.Contains(err.Error(), "wait at the barrier") {
		t.Errorf("a stopped test's barrier threw %v", err)
	}
}
