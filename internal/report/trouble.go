package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// troubles are what failed, what ran otherwise than planned, and what counts for nothing.
func troubles(run *result.Run) []Table {
	all := []Table{failures(run), blockedPairs(run), rejected(run), errorTable(run)}
	return slices.DeleteFunc(all, func(t Table) bool { return len(t.Rows) == 0 })
}

// failures lists the cells that have a reason: those that failed, and those of which a repeat did.
func failures(run *result.Run) Table {
	t := Table{Prose: true, Caption: "Cells that failed, wholly or in one of their repeats",
		Head: heads("cell", "came to", "why")}
	for _, c := range cellsOf(run) {
		if c.Reason == "" {
			continue
		}
		became := "failed"
		if n := counting(c); n > 0 {
			became = fmt.Sprintf("%s of %d", metric.Count(n, "repeat"), c.Wanted)
		}
		t.add(nameOf(run, c), became, c.Reason)
	}
	return t
}

// blockedPairs lists the pairs whose cells ran in blocks instead.
func blockedPairs(run *result.Run) Table {
	t := Table{Prose: true, Caption: "Cells that were to run side by side, and ran in blocks",
		Head: heads("cell", "beside", "why")}
	for _, p := range run.BlockedPairs() {
		t.add(p.Of, p.To, p.Reason)
	}
	return t
}

// rejected lists each repeat that counts for nothing, and why.
func rejected(run *result.Run) Table {
	t := Table{Prose: true, Caption: "Rejected repeats: each was run again, and counts for nothing",
		Head: heads("cell", "block", "attempt", "why")}
	for _, c := range cellsOf(run) {
		for _, r := range c.Repeats {
			if r.Status == result.Rejected {
				t.add(nameOf(run, c), r.Block, r.Attempt, r.Reason)
			}
		}
	}
	t.Head[1].Number, t.Head[2].Number = true, true
	return t
}

// errorTable counts what went wrong on each path by its code, the most frequent in the measured windows first.
func errorTable(run *result.Run) Table {
	type failure struct {
		path string
		result.ErrorCount
	}
	var all []failure
	for _, c := range cellsOf(run) {
		for _, e := range c.Errors() {
			n := slices.IndexFunc(all, func(f failure) bool { return f.path == c.Path && f.Code == e.Code })
			if n < 0 {
				all = append(all, failure{c.Path, e})
				continue
			}
			all[n].Measured += e.Measured
			all[n].Outside += e.Outside
		}
	}
	slices.SortStableFunc(all, func(a, b failure) int {
		return cmp.Or(cmp.Compare(b.Measured, a.Measured), cmp.Compare(b.Outside, a.Outside))
	})
	t := Table{Prose: true, Caption: "Errors by SQLSTATE, or by what kept a client from getting one",
		Head: []Head{{Text: "code"}, {Text: "path"}, {Text: "in the measured windows", Number: true},
			{Text: "before or after them", Number: true}, {Text: "the first of them said"}}}
	for _, f := range all {
		t.add(f.Code, f.path, f.Measured, f.Outside, f.Message)
	}
	return t
}

// flagTerms explains each of the run's flags once, with how many cells have it and what the first one says.
func flagTerms(run *result.Run, experiments []*experiment) []Term {
	cells, texts := map[result.FlagKind]int{}, map[result.FlagKind]string{}
	for _, e := range experiments {
		for _, c := range e.Cells {
			for _, kind := range e.flags(c) {
				cells[kind]++
			}
		}
	}
	for _, c := range cellsOf(run) {
		for _, r := range c.Repeats {
			for _, f := range r.Flags {
				if r.Status == result.OK {
					texts[f.Kind] = cmp.Or(texts[f.Kind], f.Text)
				}
			}
		}
	}
	var terms []Term
	for _, kind := range slices.Sorted(maps.Keys(cells)) {
		text := metric.Count(cells[kind], "cell") + ": " + kind.Meaning()
		if texts[kind] != "" {
			text += ". For example: " + texts[kind]
		}
		terms = append(terms, Term{string(kind), text})
	}
	return terms
}
