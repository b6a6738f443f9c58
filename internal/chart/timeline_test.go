package chart

import (
	"slices"
	"testing"
)

// A timeline has each step's attempts one above the other, each client's outage as long as it was, and its events
// where they happened.
func TestTimeline(t *testing.T) {
	d := Timeline{Seconds: 2, Step: 0.5, Most: 5, Events: []Moment{{"kill primary", 0.5}, {"promote standby", 1}},
		Rows: []TimelineRow{{Name: "direct", Succeeded: []int{4, 1, 0, 9}, Failed: []int{0, 1, 2, 0}, Open: []int{0, 2, 2, 0},
			Outages: [][2]float64{{0.5, 1.5}, {0.5, 2}}}}}.Draw()
	of := func(shape, class string) (all []Mark) {
		for _, m := range d.Marks {
			if m.Shape == shape && m.Class == class {
				all = append(all, m)
			}
		}
		return all
	}
	legend := func(m Mark) bool { return m.X2 == 14 && m.Y2 == 14 }
	bars := func(class string) []Mark { return slices.DeleteFunc(of("rect", class), legend) }
	well, badly, outages := bars("bar s1"), bars("bar s2"), bars("bar s0")
	if len(well) != 3 || len(badly) != 2 || len(outages) != 2 || len(of("path", "line s4 thin")) != 1 {
		t.Fatalf("it has %d, %d and %d bars", len(well), len(badly), len(outages))
	}
	if well[0].Y2 != 4*well[1].Y2 || well[2].Y2 != stepsHeight || badly[0].Y+badly[0].Y2 != well[1].Y ||
		badly[1].Y2 != 2*badly[0].Y2 {
		t.Errorf("its bars are %+v and %+v", well, badly)
	}
	if ratio := outages[1].X2 / outages[0].X2; ratio < 1.49 || ratio > 1.51 {
		t.Errorf("an outage of 1.5 s is %v times as long as one of 1 s", ratio)
	}
	if events := of("line", "event"); len(events) != 2 || events[0].X != outages[0].X || events[0].X != events[0].X2 {
		t.Errorf("its events are %+v", events)
	}
}
