package outcome

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// A Reason is why a run can't say more, or what a reader has to know; the zero Reason is none.
type Reason struct {
	Text    string            // why the outcome is what it is, such as what vetoes another; empty where it needs no reason
	Notes   []string          // what was flagged and doesn't change the outcome
	Flags   []result.FlagKind // that Text or Notes are about
	LeftOut string            // the experiment that the run left out, where that is the reason
	With    string            // the options that run that experiment
}

// String is the reason and its notes in one phrase.
func (r Reason) String() string {
	texts := r.Notes
	if r.Text != "" {
		texts = slices.Concat([]string{r.Text}, r.Notes)
	}
	return strings.Join(texts, "; ")
}

// and is the reason with the notes of another.
func (r Reason) and(other Reason) Reason {
	r.Notes, r.Flags = slices.Concat(r.Notes, other.Notes), slices.Concat(r.Flags, other.Flags)
	return r
}

// Because is what came out, and why where there is something to say.
func Because(text, why string) string {
	if why == "" {
		return text
	}
	return strings.TrimSuffix(text, ".") + ": " + why
}

// A flagging is what the flags of one cell or two say of a value of theirs, such as their ratio: see metric.Rule.
type flagging struct {
	kinds []result.FlagKind // all that bear on it
	vetoes, notes,
	low, high []string // low: the value can only be too low for it
}

// flags are those of the cells that the ratio is of.
func (r Ratio) flags(run *result.Run, f metric.Metric) (all flagging) {
	for i, c := range r.cells {
		for _, kind := range f.Flags(c) {
			all.kinds = append(all.kinds, kind)
			of := &all.high
			switch rule := f.Rule(kind); {
			case rule == metric.Veto:
				of = &all.vetoes
			case rule == metric.Note:
				of = &all.notes
			case (f.Better == metric.More) == (i == 0): // a lower figure, or a larger one that it is divided by
				of = &all.low
			}
			*of = mention(*of, happened(kind, c), NameIn(run, c))
		}
	}
	return all
}

// happened says what a flag found.
func happened(kind result.FlagKind, c *result.Cell) string {
	if t := Furthest(c); kind == result.FlagLatency && t != nil {
		return fmt.Sprintf("a round trip of %s ms where %g ms were set", metric.Number(t.MeasuredMS), t.SetMS)
	}
	return kind.Short()
}

// mention adds what happened to a cell. What happened to another one as well is said once.
func mention(all []string, happened, cell string) []string {
	same := func(text string) bool { return strings.HasPrefix(text, happened+" (") }
	if i := slices.IndexFunc(all, same); i >= 0 {
		all[i] = strings.TrimSuffix(all[i], ")") + "; " + cell + ")"
		return all
	}
	return append(all, happened+" ("+cell+")")
}

// Furthest is the round trip that is furthest from what was set, of the repeats of c that count; nil where none
// was measured.
func Furthest(c *result.Cell) (most *result.RoundTrip) {
	off := func(t *result.RoundTrip) float64 { return math.Abs(t.MeasuredMS - t.SetMS) }
	for i := range c.Repeats {
		r := &c.Repeats[i]
		if r.Status == result.OK && r.RoundTrip != nil && (most == nil || off(r.RoundTrip) > off(most)) {
			most = r.RoundTrip
		}
	}
	return most
}

// beside is a reason with all that was flagged as notes.
func (f flagging) beside(text string) Reason {
	return Reason{Text: text, Notes: slices.Concat(f.notes, f.low, f.high), Flags: f.kinds}
}

// on is what is left of a value that was seen Lower or Higher than what it is compared with, or with NoClearDifference:
// it is Inconclusive where the flags may be why. A flag on the contrary makes what was seen a qualified one: a value
// that can only be too low is at least what was seen.
func (f flagging) on(seen Outcome) (qualifier string, left Judged) {
	against, contrary, may := f.high, f.low, "which may be why"
	qualifier = "at least"
	switch seen {
	case Lower:
		against, contrary, qualifier = f.low, f.high, "at most"
	case NoClearDifference:
		against, contrary, may = slices.Concat(f.low, f.high), nil, "which may hide a difference"
	}
	if len(against) > 0 {
		return "", Judged{Inconclusive, Reason{Text: strings.Join(against, "; ") + ", " + may, Flags: f.kinds}}
	}
	if len(contrary) == 0 {
		qualifier = ""
	}
	return qualifier, Judged{seen, Reason{Notes: slices.Concat(contrary, f.notes), Flags: f.kinds}}
}
