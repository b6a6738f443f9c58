package outcome

import (
	"fmt"
	"math"
	"slices"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// A Reason is why a run can't say more, or what a reader has to know; the zero Reason is none.
type Reason struct {
	Text    string
	Flagged []FlaggedCell // whose flags are the reason, or have to be known
	Weight  Weight        // of the flags
	LeftOut string        // the experiment that the run left out, where that is the reason
	InFull  bool          // only the full size has that experiment
}

// A Weight says what flags do to an outcome.
type Weight int

// The weights that flags can have.
const (
	Unweighed   Weight = iota // they have no bound, or there is no outcome that they could change
	TooLight                  // within their bounds, the outcome is the same
	HeavyEnough               // within them it may be another
)

// A FlaggedCell is a cell with the flags that bear on what was asked of it, and how far they can have moved that.
type FlaggedCell struct {
	Cell    *result.Cell
	Flags   []result.FlagKind
	Bound   result.Bound
	Bounded bool // false: nobody knows how far
}

// String is the reason as a phrase: "flagged (pgpool, select, 45 clients: host)".
func (r Reason) String() string {
	switch {
	case len(r.Flagged) == 0:
		return r.Text
	case r.Text != "":
		return r.Text + "; " + r.flags()
	}
	return r.flags()
}

// and is the reason with the flagged cells of another.
func (r Reason) and(other Reason) Reason {
	r.Flagged = slices.Concat(r.Flagged, other.Flagged)
	r.Weight = max(r.Weight, other.Weight)
	return r
}

func (r Reason) flags() string {
	text := ""
	for i, f := range r.Flagged {
		if i > 0 {
			text += "; "
		}
		text += Name(f.Cell) + ":"
		for _, kind := range f.Flags {
			text += " " + string(kind)
		}
		if f.Bounded {
			text += ", " + moved(f.Bound)
		}
	}
	switch r.Weight {
	case TooLight:
		return "flagged, too little to change the outcome (" + text + ")"
	case HeavyEnough:
		return "flagged, enough to change the outcome (" + text + ")"
	}
	return "flagged (" + text + ")"
}

// moved says how far off what was measured is at most: "at most 12 % too high".
func moved(b result.Bound) string {
	high, low := "", ""
	switch {
	case b.Lo() == 0:
		high = "perhaps far too high"
	case b.Lo() < 1:
		high = fmt.Sprintf("at most %.0f %% too high", math.Ceil(100*(1/b.Lo()-1)))
	}
	if b.Hi() > 1 {
		low = fmt.Sprintf("at most %.0f %% too low", math.Ceil(100*(1-1/b.Hi())))
	}
	switch {
	case high != "" && low != "":
		return high + " or " + low
	case high+low == "":
		return "not moved by it"
	}
	return high + low
}

// because is what came out, and why where there is something to say.
func because(text, why string) string {
	if why == "" {
		return text
	}
	return text + ": " + why
}

// vetoed says which of the cells are flagged where one of them has no bound; no reason where all have.
func vetoed(f metric.Metric, cells ...*result.Cell) Reason {
	for _, c := range cells {
		if _, ok := f.Bound(c); !ok {
			return starred(f, cells...)
		}
	}
	return Reason{}
}

// starred says which of the cells have flags that star the metric; no reason where none has.
func starred(f metric.Metric, cells ...*result.Cell) Reason { return flagged(f, f.Flags, cells) }

// harmless is the same where the flags don't change the outcome.
func harmless(f metric.Metric, cells ...*result.Cell) Reason {
	why := starred(f, cells...)
	if len(why.Flagged) > 0 {
		why.Weight = TooLight
	}
	return why
}

// doubted says which of the cells have flags that together change the outcome, however little each does.
func doubted(f metric.Metric, cells ...*result.Cell) Reason {
	why := flagged(f, f.Doubts, cells)
	why.Weight = HeavyEnough
	return why
}

func flagged(f metric.Metric, kindsOf func(*result.Cell) []result.FlagKind, cells []*result.Cell) Reason {
	var why Reason
	for _, c := range cells {
		if kinds := kindsOf(c); len(kinds) > 0 {
			b, ok := f.Bound(c)
			why.Flagged = append(why.Flagged, FlaggedCell{Cell: c, Flags: kinds, Bound: b, Bounded: ok})
		}
	}
	return why
}

// noFigure says that no repeat of the cell measured the metric.
func noFigure(f metric.Metric, c *result.Cell) Reason {
	if f.OneNode(c) {
		return Reason{Text: fmt.Sprintf("%s has no %s: its one session stays on one node", Name(c), f.Name)}
	}
	return Reason{Text: fmt.Sprintf("%s has no %s", Name(c), f.Name)}
}

// noRatio says why there is none between two cells.
func noRatio(f metric.Metric, of, to *result.Cell) Reason {
	for _, c := range []*result.Cell{of, to} {
		if len(f.Values(c)) == 0 {
			return noFigure(f, c)
		}
	}
	if v, _ := f.Middle(to); v == 0 {
		return Reason{Text: fmt.Sprintf("%s of %s is 0, so there is no ratio to it", f.Name, Name(to))}
	}
	return Reason{Text: "the two have no block in common"}
}
