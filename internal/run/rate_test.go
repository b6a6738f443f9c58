package run

import (
	"fmt"
	"slices"
	"testing"

	"pooler-lab/internal/lesson"
)

func TestOutOfStep(t *testing.T) {
	for rate, want := range map[float64]float64{11: 11, 12.9: 11, 10.5: 9.7, 10: 9.7, 100: 97, 400: 370, 4.4: 4.3,
		1.2: 1.1, 0.05: 0.047} {
		if got := outOfStep(rate); got != want {
			t.Errorf("up to %v it is %v, not %v", rate, got, want)
		}
	}
}

// openLoop is a cell of an open loop.
func openLoop(id, path string, latency lesson.Value, rate float64) lesson.Cell {
	c := plain(id)
	c.Path, c.Latency, c.Rate = path, latency, rate
	return c
}

// Each path is probed once, at its highest latency: closed loops and rates that are to be too high are not.
func TestProbes(t *testing.T) {
	overload := openLoop("e", "direct", lesson.Number(20), 400)
	overload.Overload = true
	r, _, _ := newRunner(t, "good", openLoop("a", "direct", lesson.None, 11),
		openLoop("b", "direct", lesson.Number(10), 11), openLoop("c", "pooled", lesson.None, 11), plain("d"),
		overload)
	var ids []string
	for _, c := range r.probes() {
		ids = append(ids, c.ID)
	}
	if want := []string{"b", "c"}; !slices.Equal(ids, want) {
		t.Errorf("%v are probed, not %v", ids, want)
	}
}

// The probe of the stand-in does 10 iterations in 1.5 s without its connect: half of that are 3.3 a second.
func TestRatesAreLoweredToWhatIsHeld(t *testing.T) {
	overload := openLoop("c", "direct", lesson.None, 400)
	overload.Overload = true
	slow := openLoop("b", "pooled", lesson.None, 1)
	slow.Workload = "connect"
	cells := []lesson.Cell{openLoop("a", "direct", lesson.None, 11), slow, overload}
	for name, test := range map[string]struct {
		asked map[string][]string
		want  []string
	}{
		"the plan's":      {nil, []string{"3.1 4.8", "1 1.0", "400 1.0"}},
		"as it was asked": {map[string][]string{"rate": {"11"}}, []string{"11 1.0", "1 1.0", "400 1.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, _, _ := newRunner(t, "finished", slices.Clone(cells)...)
			r.doc.Lesson.Override.Values = test.asked
			if err := r.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range written(t, r.lab.Folder).Cells {
				got = append(got, fmt.Sprintf("%g %.1f", c.Rate, c.Seconds))
				if len(c.Repeats) != 1 {
					t.Errorf("%s has %d repeats: a probe is none", c.ID, len(c.Repeats))
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("rates and windows are %q, not %q", got, test.want)
			}
			if left := r.progress.remaining(); left != 0 {
				t.Errorf("at its end the run has %v left to measure", left)
			}
		})
	}
}
