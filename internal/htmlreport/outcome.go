package htmlreport

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// A headline is a comparison that the lesson claims, and what came of it.
type headline struct {
	Says, Figure string
	Of, To, Both string // what the cells don't share, and what they do
	Ratio        string // empty where there is none
	Range        string // its interval
	Drawing      chart.Drawing
	Verdict      verdict
}

// A reach is how far the axis of the intervals goes.
type reach struct{ From, To string }

// A verdict is a word, why it is no other, and how it looks.
type verdict struct{ Word, Why, Class, Sign string }

// classes say how a verdict looks; the sign says the same to who tells no colours apart.
var classes = map[string]struct{ class, sign string }{
	outcome.Held: {"held", "✓"}, outcome.NotHeld: {"not", "✗"}, outcome.CantSay: {"cannot", "?"}, outcome.NotAsked: {"cannot", "–"},
	outcome.Less: {"less", "↓"}, outcome.More: {"more", "↑"}, outcome.NoClear: {"same", "="}, outcome.NoInterval: {"once", "○"},
}

func verdictOf(word, why string) verdict {
	look := classes[word]
	return verdict{Word: word, Why: why, Class: look.class, Sign: look.sign}
}

// headlines are the run's, each with its interval on an axis that all of them share.
func headlines(claims outcome.Claims) ([]headline, reach) {
	var all []headline
	var intervals []chart.Interval
	for _, v := range claims.Headlines {
		h := headline{Says: v.Says, Figure: v.Figure.Heading, Verdict: verdictOf(v.Word, v.Why)}
		i := chart.Interval{Name: v.Says + ": no ratio", Class: h.Verdict.Class}
		if v.Of != nil && v.To != nil {
			h.Of, h.To, h.Both = apart(named(v.Of, v.To), named(v.To, v.Of))
		}
		if v.Ratio.N > 0 {
			h.Ratio = metric.RatioText(v.Ratio.Center)
			i.Name, i.Ratio = fmt.Sprintf("%s: ratio %s", v.Says, h.Ratio), v.Ratio.Center
		}
		if v.Ratio.Known() {
			h.Range = v.Ratio.Text(metric.RatioText)
			i.Name, i.Lo, i.Hi = fmt.Sprintf("%s, from %s", i.Name, h.Range), v.Ratio.Lo, v.Ratio.Hi
		}
		all, intervals = append(all, h), append(intervals, i)
	}
	drawings, most := chart.Intervals("ratio-", intervals)
	for i := range all {
		all[i].Drawing = drawings[i]
	}
	return all, reach{shortest(1 / most), shortest(most)}
}

// named is c's name beside another one's: with its role where only that tells them apart.
func named(c, other *result.Cell) string {
	name := outcome.Name(c)
	if c.HasUsualRole() && c.Role != other.Role {
		name += ", app"
	}
	return name
}

// apart divides the names of two cells into what only one of them has and what both do.
func apart(of, to string) (onlyOf, onlyTo, both string) {
	a, b := strings.Split(of, ", "), strings.Split(to, ", ")
	without := func(words, others []string) string {
		left := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(others, w) })
		return cmp.Or(strings.Join(left, ", "), "none")
	}
	common := slices.DeleteFunc(slices.Clone(a), func(w string) bool { return !slices.Contains(b, w) })
	return without(a, b), without(b, a), strings.Join(common, ", ")
}

// shortest writes v with two digits at most.
func shortest(v float64) string { return strconv.FormatFloat(v, 'g', 2, 64) }

// A shape is one of the study's, and whether it held here.
type shape struct {
	Says    string
	Verdict verdict
}

// shapes are the study's, and in one line how many of them held.
func shapes(claims outcome.Claims) (all []shape, tally string) {
	counts := map[string]int{}
	for _, j := range claims.Shapes {
		all = append(all, shape{j.Says, verdictOf(j.Word, j.Why)})
		counts[j.Word]++
	}
	var parts []string
	for _, word := range []string{outcome.Held, outcome.NotHeld, outcome.CantSay, outcome.NotAsked} {
		if n := counts[word]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	return all, fmt.Sprintf("%s: %s", metric.Count(len(all), "shape"), strings.Join(parts, ", "))
}

// seenHere is what was seen here of a study's figure.
func seenHere(s outcome.Sight) []Cell {
	if s.Seen.N == 0 {
		return []Cell{{Text: "-", Class: "number"}, {Text: s.Why}}
	}
	seen := Cell{Text: s.Text(), Class: "number"}
	if s.Seen.Known() {
		seen.Note = s.Seen.Text(s.Figure.Text)
	}
	return []Cell{seen, {Text: fmt.Sprintf("%s of %s", s.Figure.Heading, outcome.Name(s.Cell))}}
}
