package pgbench

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestOrder(t *testing.T) {
	order := Order(200, 7)
	count := map[string]int{}
	for group := range slices.Chunk(order, GroupSlots) {
		name := ""
		for _, side := range group {
			name += side.String()
		}
		count[name]++
	}
	if len(count) != 2 || count["ABBA"] < 70 || count["BAAB"] < 70 {
		t.Errorf("the groups are %v", count)
	}
	if !slices.Equal(order, Order(200, 7)) || slices.Equal(order, Order(200, 8)) {
		t.Error("the order isn't the seed's")
	}
}

// A slot is several periods of a CPU limit, and doesn't begin at the same moment of each.
func TestSlotLength(t *testing.T) {
	const half = 50 * time.Millisecond
	if SlotLength < 4*half || SlotLength%half == 0 || Lead >= SlotLength/4 {
		t.Errorf("slots of %v with a lead of %v", SlotLength, Lead)
	}
}

// at is a moment, in milliseconds.
func at(ms float64) time.Time { return time.UnixMicro(int64(1000 * ms)) }

// four are slots of 100 ms, one after the other: ABBA.
func four() []Slot {
	var slots []Slot
	for i, side := range []Side{A, B, B, A} {
		slots = append(slots, Slot{Side: side, Start: at(float64(100 * i)), End: at(float64(100*i + 100))})
	}
	return slots
}

func TestCount(t *testing.T) {
	for name, test := range map[string]struct {
		side         Side
		from, to     float64 // ms
		all, counted [4]float64
	}{
		"within":                    {A, 70, 90, [4]float64{1}, [4]float64{1}},
		"within the lead":           {A, 10, 20, [4]float64{1}, [4]float64{}},
		"half of it in the lead":    {A, 50, 70, [4]float64{1}, [4]float64{0.5}},
		"stopped for two slots":     {A, 90, 330, [4]float64{0.25, 0, 0, 0.75}, [4]float64{0.25}},
		"ends when it's counted":    {A, 90, 370, [4]float64{0.125, 0, 0, 0.875}, [4]float64{0.125, 0, 0, 0.125}},
		"over two of its own slots": {B, 180, 280, [4]float64{0, 0.2, 0.8}, [4]float64{0, 0.2, 0.2}},
		"before the first":          {A, -50, -10, [4]float64{}, [4]float64{}},
		"begun before the first":    {A, -50, 80, [4]float64{1}, [4]float64{0.25}},
		"ends after the last":       {A, 380, 480, [4]float64{0, 0, 0, 1}, [4]float64{0, 0, 0, 1}},
		"while it stood still":      {A, 120, 280, [4]float64{}, [4]float64{}},
	} {
		slots := four()
		Count(slots, test.side, []Transaction{{Start: at(test.from), End: at(test.to)}})
		for i, s := range slots {
			if math.Abs(s.All-test.all[i]) > 1e-9 || math.Abs(s.Counted-test.counted[i]) > 1e-9 {
				t.Errorf("%s: slot %d has %v, %v of it counted", name, i, s.All, s.Counted)
			}
		}
	}
}

func TestRatios(t *testing.T) {
	slots := append(four(), four()...)
	for i := range slots {
		slots[i].Counted = [...]float64{10, 14, 16, 10, 20, 10, 10, 20}[i]
	}
	ratios, err := Ratios(slots)
	if err != nil || len(ratios) != 2 || math.Abs(ratios[0]-1.5) > 1e-9 || math.Abs(ratios[1]-0.5) > 1e-9 {
		t.Errorf("the ratios are %v, %v", ratios, err)
	}
	if got := TPS(slots, A); math.Abs(got-60/0.16) > 1e-9 {
		t.Errorf("A's throughput is %v", got)
	}
	slots[4].Counted, slots[7].Counted = 0, 0
	if _, err := Ratios(slots); err == nil {
		t.Error("a side without a transaction is no error")
	}
}
