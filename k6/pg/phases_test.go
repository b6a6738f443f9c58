package pg

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pooler-lab/k6/summary"
)

// A test's first slot is a window, fixed iterations, or the first of two sides: what ends before it is warm-up.
func TestPhaseAt(t *testing.T) {
	begin := time.Now()
	from, to := begin.Add(time.Second), begin.Add(2*time.Second)
	first := &slot{group: 1, side: summary.To, first: true, begin: begin, from: from, to: to}
	next := &slot{group: 1, side: summary.To, begin: begin, from: from, to: to}
	for _, test := range []struct {
		name  string
		slot  *slot
		side  int
		ended time.Time
		want  phase
	}{
		{"no slot", nil, summary.To, from, phaseWarmup},
		{"calibration", &slot{side: summary.To, begin: begin, from: from, to: to}, summary.To, from, phaseWarmup},
		{"before the first", first, summary.To, from.Add(-1), phaseWarmup},
		{"before the next", next, summary.To, from.Add(-1), phaseAfter},
		{"its beginning", next, summary.To, from, phaseMeasure},
		{"its end", first, summary.To, to.Add(-1), phaseMeasure},
		{"after it", first, summary.To, to, phaseAfter},
		{"the other side's", next, summary.Of, from, phaseAfter},
	} {
		if got := test.slot.phaseAt(test.side, test.ended); got != test.want {
			t.Errorf("%s: the phase is %q, not %q", test.name, got, test.want)
		}
	}
	if got := (&instance{Module: New()}).phaseAt(begin); got != phaseNone {
		t.Errorf("where the whole test is measured the phase is %q", got)
	}
}

func TestMeasuredInOneWay(t *testing.T) {
	const (
		window = `pg.window({ clients: 1, seconds: 1 });`
		fixed  = `pg.fixedIterations({ clients: 1, iterations: 1, seconds: 1 });`
		of     = `pg.slots({ side: 'of', clients: [1, 1], at_most: 1 });`
		once   = "a test is measured in one way"
	)
	for code, want := range map[string]string{
		window + fixed:  once,
		fixed + window:  once,
		window + of:     once,
		of + window:     once,
		window + window: "",
		window + `pg.window({ clients: 1, seconds: 2 })`:                        "a test has one window",
		fixed + `pg.fixedIterations({ clients: 2, iterations: 1, seconds: 1 })`: "a test has one fixedIterations",
		of + `pg.slots({ side: 'to', clients: [1, 1], at_most: 2 })`:            "a test has one slots",
		of + of: "the side of has its 1 clients already",

		`pg.window({ seconds: 1 })`:                                                         "clients must be at least 1",
		`pg.fixedIterations({ clients: 1, iterations: 0, seconds: 1 })`:                     "iterations must be at least 1",
		fixed + `pg.fixedIterations({ clients: 1, iterations: 1, seconds: 1 }).iteration()`: "start() comes before",
		`pg.slots({ clients: [1, 1], at_most: 1 })`:                                         "side must be one of",
		`pg.slots({ side: 'A', clients: [1, 1], at_most: 1 })`:                              "side must be one of",
		`pg.slots({ side: 'of', clients: [1, 0], at_most: 1 })`:                             "at least one client",
		`pg.slots({ side: 'of', clients: [1, 1] })`:                                         "at_most must be above 0",
	} {
		s := newScript(t, New()).started()
		if _, err := s.try(code); fmt.Sprint(err) != "<nil>" && want == "" || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s threw %v, not %q", code, err, want)
		}
		s.module.finish(time.Now())
	}
}
