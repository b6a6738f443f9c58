package pg

import (
	"testing"
	"time"

	"pooler-lab/internal/shared"
)

func TestOrderIsBalanced(t *testing.T) {
	d := newDraw(7)
	first := 0 // groups of ABBA less those of BAAB
	seen := map[string]bool{}
	for group := 1; group <= 200; group++ {
		order := d.order()
		if first += map[string]int{"ABBA": 1, "BAAB": -1}[order]; first < -1 || first > 1 {
			t.Fatalf("after %d groups one order has %d more than the other", group, first)
		}
		if group%2 == 1 {
			seen[order] = true
		}
	}
	if len(seen) != 2 {
		t.Errorf("the first of two groups is always %v", seen)
	}
}

// A container at its CPU limit works at the beginning of each period alone, and slots begin with the periods. On
// average the counted parts hold as much of its work as any other time does.
func TestLeadsHideThePeriod(t *testing.T) {
	for _, working := range []time.Duration{5, 15, 25, 50, 80} {
		working *= time.Millisecond
		for counted := shared.LeastSlot; counted <= shared.MostSlot; counted += shared.Period {
			const slots = 4000
			d, sum := newDraw(7), time.Duration(0)
			for range slots {
				from := d.lead()
				for begin := time.Duration(0); begin < from+counted; begin += shared.Period {
					sum += max(0, min(begin+working, from+counted)-max(begin, from))
				}
			}
			got, want := float64(sum)/slots/float64(counted), float64(working)/float64(shared.Period)
			if off := got/want - 1; off < -0.01 || off > 0.01 {
				t.Errorf("of %v in each period, slots of %v hold %+.1f %%", working, counted, 100*off)
			}
		}
	}
}
