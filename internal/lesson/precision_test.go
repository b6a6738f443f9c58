package lesson

import (
	"strings"
	"testing"
)

// precise is the tour with what its lesson and its comparison say of their precision.
func precise(ofLesson, ofComparison string) string {
	plan := strings.Replace(tour, "minutes: 2\n", "minutes: 2\n"+ofLesson, 1)
	return strings.Replace(plan, "    metric: connect\n", "    metric: connect\n"+ofComparison, 1)
}

func TestPrecision(t *testing.T) {
	const full = "full: {minutes: 20}\n"
	until, atMost := Percent(0.03), 90.0
	tests := []struct {
		name                   string
		ofLesson, ofComparison string
		override               Override
		wantUntil              Percent
		wantAtMost             float64
	}{
		{name: "usual", wantUntil: 0.05, wantAtMost: 45},
		{name: "the comparison's own", ofLesson: "until: 10 %\nat_most: 40\n",
			ofComparison: "    until: 2\n    at_most: 60\n",
			wantUntil:    0.02, wantAtMost: 60},
		{name: "the command line's", ofLesson: "until: 10 %\n", ofComparison: "    until: 2%\n    at_most: 60\n",
			override: Override{Until: &until, AtMost: &atMost}, wantUntil: 0.03, wantAtMost: 90},
		{name: "full size", ofLesson: full, override: Override{Full: true}, wantUntil: 0.05, wantAtMost: 120},
		{name: "full size that says", ofLesson: full + "at_most: 50\n", override: Override{Full: true}, wantUntil: 0.05,
			wantAtMost: 50},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := read(t, precise(test.ofLesson, test.ofComparison))
			before := *l
			if err := l.Apply(test.override); err != nil {
				t.Fatal(err)
			}
			if u, most := l.Precision(l.Comparisons[0]); u != test.wantUntil || most != test.wantAtMost {
				t.Errorf("until %v, at most %v s; it should be %v, %v", u, most, test.wantUntil, test.wantAtMost)
			}
			if u, _ := before.Precision(before.Comparisons[0]); test.override.Until != nil && u == test.wantUntil {
				t.Error("a copy of the lesson from before has changed with it")
			}
		})
	}
}
