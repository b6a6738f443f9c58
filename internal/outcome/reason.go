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
	Vetoes  []result.FlagKind // those of them for which the outcome is inconclusive
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

// and is the reason with the notes of another, each once.
func (r Reason) and(other Reason) Reason {
	r.Notes, r.Flags = slices.Clone(r.Notes), slices.Concat(r.Flags, other.Flags)
	for _, note := range other.Notes {
		if !slices.Contains(r.Notes, note) {
			r.Notes = append(r.Notes, note)
		}
	}
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
	low, high []mention // low: the value can only be too low for it
}

// A mention says what a flag found, and of which cells.
type mention struct {
	kind     result.FlagKind
	happened string
	cells    []string
}

func (m mention) String() string { return m.happened + " (" + strings.Join(m.cells, "; ") + ")" }

// texts are the mentions in words.
func texts(all ...[]mention) (list []string) {
	for _, m := range slices.Concat(all...) {
		list = append(list, m.String())
	}
	return list
}

// vetoed is Inconclusive for what is mentioned.
func (f flagging) vetoed(by []mention, may string) Judged {
	why := Reason{Text: strings.Join(texts(by), "; ") + may, Flags: f.kinds}
	for _, m := range by {
		why.Vetoes = append(why.Vetoes, m.kind)
	}
	return Judged{Inconclusive, why}
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
			*of = mentioned(*of, mention{kind, happened(kind, c), []string{NameIn(run, c)}})
		}
	}
	return all
}

// mentioned adds what happened to a cell. What happened to another one as well is said once.
func mentioned(all []mention, m mention) []mention {
	i := slices.IndexFunc(all, func(other mention) bool { return other.kind == m.kind && other.happened == m.happened })
	if i < 0 {
		return append(all, m)
	}
	all[i].cells = append(all[i].cells, m.cells...)
	return all
}

// happened says what a flag found. Errors are told by their SQLSTATE, the most frequent first.
func happened(kind result.FlagKind, c *result.Cell) string {
	switch t := Furthest(c); {
	case kind == result.FlagErrors:
		return Because(kind.Short(), mostFrequent(c, func(result.Error) bool { return true }))
	case kind == result.FlagWarmup:
		return Because(kind.Short(), mostFrequent(c, func(e result.Error) bool { return e.Phase == "warmup" }))
	case kind == result.FlagCounts:
		return Because(kind.Short(), flagText(kind, c))
	case kind == result.FlagLatency && t != nil:
		return fmt.Sprintf("a round trip of %s ms where %g ms were set", metric.Number(t.MeasuredMS), t.SetMS)
	}
	return kind.Short()
}

// flagText is what the first flag of that kind says of a repeat of c that counts.
func flagText(kind result.FlagKind, c *result.Cell) string {
	for _, r := range c.Repeats {
		for _, f := range r.Flags {
			if f.Kind == kind && r.Status == result.OK {
				return f.Text
			}
		}
	}
	return ""
}

// mostFrequent is the error that most of those are that are meant, of the repeats of c that count, as "12 x XX000
// (tuple concurrently updated)", and how many others there are; empty where there is none.
func mostFrequent(c *result.Cell, meant func(result.Error) bool) string {
	var all []result.Error
	for _, r := range c.Repeats {
		if r.Status == result.OK && r.Measured != nil {
			all = append(all, r.Measured.Errors...)
		}
	}
	ranked := result.Ranked(slices.DeleteFunc(all, func(e result.Error) bool { return !meant(e) }))
	if len(ranked) == 0 {
		return ""
	}
	most, others := ranked[0], int64(0)
	for _, e := range ranked[1:] {
		others += e.Count
	}
	message := strings.TrimSuffix(most.Message, " (SQLSTATE "+most.Code+")")
	if _, after, is := strings.Cut(message, "ERROR: "); is {
		message = after
	}
	text := fmt.Sprintf("%d x %s (%s)", most.Count, most.Code, message)
	if others > 0 {
		text += fmt.Sprintf(", %d more", others)
	}
	return text
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
	return Reason{Text: text, Notes: texts(f.notes, f.low, f.high), Flags: f.kinds}
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
		return "", f.vetoed(against, ", "+may)
	}
	if len(contrary) == 0 {
		qualifier = ""
	}
	return qualifier, Judged{seen, Reason{Notes: texts(contrary, f.notes), Flags: f.kinds}}
}
