package pgbench

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sort"
	"time"
)

// A Side is one of the two that alternate.
type Side int

// The two sides of a pair.
const (
	A Side = iota
	B
)

// String returns A or B.
func (s Side) String() string { return string(rune('A' + int(s))) }

// SlotLength is how long a side is active. It is several periods of a CPU limit, which are 100 ms, but no multiple of
// them or of half of one: a slot of one period would find the quota unspent that the other side hasn't touched.
const SlotLength = 370 * time.Millisecond

// Lead is the beginning of a slot that isn't counted: what the other side had under way ends in it, and so do the
// transactions of this one that were answered while it stood still.
const Lead = 60 * time.Millisecond

// GroupSlots are the slots of a group: each side has two, in the order ABBA or BAAB.
const GroupSlots = 4

// Order returns the sides of all slots: each group is ABBA or BAAB, as the seed draws.
func Order(groups int, seed uint64) []Side {
	draw := rand.New(rand.NewPCG(seed, seed))
	sides := make([]Side, 0, groups*GroupSlots)
	for range groups {
		first := Side(draw.IntN(2))
		sides = append(sides, first, B-first, B-first, first)
	}
	return sides
}

// A Slot is a time in which one side was active.
type Slot struct {
	Side       Side
	Start, End time.Time
	All        float64 // transactions
	Counted    float64 // those in the part that is counted: all but the lead
}

// seconds is the length of the part that is counted.
func (s Slot) seconds() float64 { return s.End.Sub(s.Start.Add(Lead)).Seconds() }

// Count counts a side's transactions in its slots. One that lies in several, or partly in a lead, counts in each by the
// share of its time there. The time in which its program stood still isn't its own.
func Count(slots []Slot, side Side, transactions []Transaction) {
	for _, t := range transactions {
		first := sort.Search(len(slots), func(i int) bool { return slots[i].End.After(t.Start) })
		spread(slots[first:], side, t)
	}
}

// spread adds a transaction to the slots that it lies in.
func spread(slots []Slot, side Side, t Transaction) {
	var active time.Duration
	for i := 0; i < len(slots) && slots[i].Start.Before(t.End); i++ {
		if slots[i].Side == side {
			active += overlap(t, slots[i].Start, slots[i].End)
		}
	}
	if active <= 0 {
		return
	}
	for i := 0; i < len(slots) && slots[i].Start.Before(t.End); i++ {
		if slots[i].Side == side {
			slots[i].All += float64(overlap(t, slots[i].Start, slots[i].End)) / float64(active)
			slots[i].Counted += float64(overlap(t, slots[i].Start.Add(Lead), slots[i].End)) / float64(active)
		}
	}
}

// overlap returns how much of a transaction's time lies between two moments.
func overlap(t Transaction, from, to time.Time) time.Duration {
	if t.Start.After(from) {
		from = t.Start
	}
	if t.End.Before(to) {
		to = t.End
	}
	return max(0, to.Sub(from))
}

// Ratios returns the ratio of B's throughput to A's in each group of slots.
func Ratios(slots []Slot) ([]float64, error) {
	var ratios []float64
	for group := range slices.Chunk(slots, GroupSlots) {
		var done, seconds [2]float64
		for _, s := range group {
			done[s.Side] += s.Counted
			seconds[s.Side] += s.seconds()
		}
		if done[A] == 0 || done[B] == 0 {
			return nil, errors.New("no transaction of one side in two slots: they are too short for this load")
		}
		ratios = append(ratios, done[B]/seconds[B]/(done[A]/seconds[A]))
	}
	return ratios, nil
}

// TPS returns a side's throughput over all its slots.
func TPS(slots []Slot, side Side) float64 {
	var done, seconds float64
	for _, s := range slots {
		if s.Side == side {
			done += s.Counted
			seconds += s.seconds()
		}
	}
	return done / seconds
}
