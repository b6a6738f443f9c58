package result

import (
	"time"
)

// A Pair is two cells that were measured side by side: their clients alternated, slot by slot, in one k6. It is a block
// of its own, in which no other cell runs: each of its cells has one repeat in it.
type Pair struct {
	Block   int      `json:"block"`
	Of      string   `json:"of"` // id of the cell whose figure is divided
	To      string   `json:"to"` // id of the cell by whose figure it is divided
	Metrics []string `json:"metrics"`
	// Until is the precision asked for: half the width of the ratio's interval, as a share of the ratio. AtMost is how
	// long that may take.
	Until  float64 `json:"until"`
	AtMost float64 `json:"at_most_seconds"`

	// Status is Planned, then OK, Failed or Interrupted; Blocked where the cells can't alternate after all: they run in
	// blocks like all others then. Reason says why it is not OK.
	Status  Status     `json:"status"`
	Reason  string     `json:"reason,omitempty"`
	Started *time.Time `json:"started,omitempty"`
	Ended   *time.Time `json:"ended,omitempty"`

	SlotMS   float64    `json:"slot_ms,omitempty"`   // counted part of each slot
	MedianMS [2]float64 `json:"median_ms,omitempty"` // of an iteration of each side, before the first group
	// Figures are by metric, of each group in order: that of Of, that of To. A metric that a group didn't measure on
	// both sides has none of that group.
	Figures map[string][][2]float64 `json:"figures,omitempty"`
	Groups  int                     `json:"groups"`
	Seconds float64                 `json:"seconds,omitempty"` // from the first group's beginning to the last one's end
	// Warming is how many groups at first don't count, since the pair wasn't steady yet, of the metric that took longest;
	// WarmingSeconds is how long these took.
	Warming        int     `json:"warming_groups,omitempty"`
	WarmingSeconds float64 `json:"warming_seconds,omitempty"`
	// Ending says why it ended: Precise, TimeOver or Interrupted.
	Ending string `json:"ending,omitempty"`
	File   string `json:"k6_groups,omitempty"` // what k6 wrote of each group, relative to run.json
}

// BlockedPairs are those that came to nothing: their cells ran in blocks instead.
func (r *Run) BlockedPairs() (all []Pair) {
	for _, p := range r.Pairs {
		if p.Status == Failed || p.Status == Blocked {
			all = append(all, p)
		}
	}
	return all
}

// Blocked is the status of a pair whose cells ran in blocks instead.
const Blocked Status = "blocked"

// Why a pair ended.
const (
	Precise  = "the interval is as narrow as asked for"
	TimeOver = "its time was over"
)

// An Unpaired is a comparison of two cells that can't alternate, and why.
type Unpaired struct {
	Of     string `json:"of"`
	To     string `json:"to"`
	Metric string `json:"metric"`
	Reason string `json:"reason"`
}

// PairOf is the pair of the two cells that has figures of the metric, and whether the cells are the other way round in
// it; nil where there is none.
func (r *Run) PairOf(of, to *Cell, metric string) (pair *Pair, inverted bool) {
	if of == nil || to == nil {
		return nil, false
	}
	for i := range r.Pairs {
		p := &r.Pairs[i]
		if p.Status != OK && p.Status != Interrupted || len(p.Figures[metric]) == 0 {
			continue
		}
		switch {
		case p.Of == of.ID && p.To == to.ID:
			return p, false
		case p.Of == to.ID && p.To == of.ID:
			return p, true
		}
	}
	return nil, false
}
