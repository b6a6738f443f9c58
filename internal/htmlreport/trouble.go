package htmlreport

import (
	"cmp"
	"slices"
	"strconv"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// flagsOf are the words of all flags of the cell's repeats that count.
func flagsOf(c *result.Cell) []string {
	var words []string
	for _, r := range c.Repeats {
		for _, f := range r.Flags {
			if r.Status == result.OK {
				words = append(words, f.Word)
			}
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// errorsOf is how many errors the cell's repeats had, those that don't count included.
func errorsOf(c *result.Cell) (n int64) {
	for _, r := range c.Repeats {
		if r.Measured != nil {
			for _, e := range r.Measured.Errors {
				n += e.Count
			}
		}
	}
	return n
}

// failures lists the cells that have a reason: those that failed, and those of which a repeat did.
func failures(run *result.Run) Table {
	t := Table{Prose: true, Caption: "Cells that failed, wholly or in one of their repeats", Head: heads("cell", "came to", "why")}
	for i := range run.Cells {
		c := &run.Cells[i]
		if c.Reason == "" {
			continue
		}
		became := "failed"
		if n := counting(c); n > 0 {
			became = metric.Count(n, "repeat") + " of " + strconv.Itoa(c.Wanted)
		}
		t.Rows = append(t.Rows, Row{Cells: words(c.ID, became, c.Reason)})
	}
	return t
}

// errorTable counts what went wrong by its code, the most frequent first.
func errorTable(run *result.Run) Table {
	type kind struct{ code, path, phase string }
	counts, messages := map[kind]int64{}, map[kind]string{}
	var kinds []kind
	for _, c := range run.Cells {
		for _, r := range c.Repeats {
			if r.Measured == nil {
				continue
			}
			for _, e := range r.Measured.Errors {
				k := kind{e.Code, c.Path, e.Phase}
				if counts[k] == 0 {
					kinds, messages[k] = append(kinds, k), e.Message
				}
				counts[k] += e.Count
			}
		}
	}
	slices.SortStableFunc(kinds, func(a, b kind) int { return cmp.Compare(counts[b], counts[a]) })
	t := Table{Prose: true, Caption: "Errors by SQLSTATE, or by what kept a client from getting one",
		Head: []Head{{Text: "code"}, {Text: "path"}, {Text: "phase"}, {Text: "count", Number: true}, {Text: "the first of them said"}}}
	for _, k := range kinds {
		cells := append(words(k.code, k.path, k.phase), numbers(strconv.FormatInt(counts[k], 10))...)
		t.Rows = append(t.Rows, Row{Cells: append(cells, words(messages[k])...)})
	}
	return t
}

// flagTerms explains each of the run's flags once, with the cells that have it.
func flagTerms(run *result.Run) []Term {
	cells, texts := map[string]int{}, map[string]string{}
	var all []string
	for i := range run.Cells {
		for _, w := range flagsOf(&run.Cells[i]) {
			if cells[w] == 0 {
				all, texts[w] = append(all, w), firstText(&run.Cells[i], w)
			}
			cells[w]++
		}
	}
	slices.Sort(all)
	var terms []Term
	for _, w := range all {
		text := result.FlagMeanings[w]
		if text == "" {
			text = "a flag that this program doesn't know"
		}
		terms = append(terms, Term{w, metric.Count(cells[w], "cell") + ": " + text + ". First: " + texts[w]})
	}
	return terms
}

func firstText(c *result.Cell, word string) string {
	for _, r := range c.Repeats {
		for _, f := range r.Flags {
			if r.Status == result.OK && f.Word == word {
				return f.Text
			}
		}
	}
	return ""
}
