package crosscheck

import (
	"fmt"
	"io"
	"slices"
)

// conclude prints the tables and, as its last line, whether k6 agrees with pgbench.
func conclude(out io.Writer, list []*comparison, pairs []*pair) error {
	tables(out, list, pairs)
	count := map[agreement]int{}
	for _, c := range list {
		count[c.agreement()]++
	}
	for _, p := range pairs {
		if p.required {
			count[p.agreement()]++
		}
	}
	all := count[agrees] + count[differs] + count[inconclusive]
	switch {
	case count[differs] > 0:
		fmt.Fprintf(out, "\n%d of %d ratios differ from what is wanted\n", count[differs], all)
		return errDiffers
	case count[inconclusive] > 0:
		fmt.Fprintf(out, "\n%d of %d ratios agree, the others are inconclusive\n", count[agrees], all)
		return errInconclusive
	}
	fmt.Fprintf(out, "\nall %d ratios agree\n", all)
	return nil
}

// concludeEarly prints what was measured before somebody interrupted it.
func concludeEarly(out io.Writer, list []*comparison, pairs []*pair) error {
	list = slices.DeleteFunc(slices.Clone(list), func(c *comparison) bool { return c.repeats() == 0 })
	pairs = slices.DeleteFunc(slices.Clone(pairs), func(p *pair) bool { return !p.done() && p.err == nil })
	tables(out, list, pairs)
	return errInterrupted
}

// tables prints one table of what both programs measure, and those of the pairs.
func tables(out io.Writer, list []*comparison, pairs []*pair) {
	if len(list) > 0 {
		fmt.Fprintf(out, "\n%-48s %9s %9s %-4s %6s  %-16s %-13s\n", "", "pgbench", "k6", "", "ratio", "95 % interval",
			"wanted")
	}
	for _, c := range list {
		fmt.Fprintln(out, c.line())
	}
	connectTable(out, list)
	if len(pairs) > 0 {
		pairTables(out, pairs)
	}
}
