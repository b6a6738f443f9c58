package pg

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestMeasuredInOneWay(t *testing.T) {
	const (
		window = `pg.window({ clients: 1, seconds: 1 });`
		fixed  = `pg.fixedIterations({ clients: 1, iterations: 1, seconds: 1 });`
		of     = `pg.slots({ side: 'of', clients: [1, 1], at_most: 1 });`
		once   = "a test is measured in one way"
	)
	for code, want := range map[string]string{
		window + fixed:  once,
		window + of:     once,
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
