package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"pooler-lab/internal/result"
)

// PairsCSV writes what cells that ran side by side showed: a line a group and metric. It isn't part of CSV, whose lines
// are repeats: a group is of two of them.
func PairsCSV(out io.Writer, run *result.Run) error {
	lines := [][]string{{"run", "block", "of", "to", "status", "slot_ms", "metric", "group", "of_figure", "to_figure",
		"ratio"}}
	for _, p := range run.Pairs {
		for _, name := range slices.Sorted(maps.Keys(p.Figures)) {
			for i, f := range p.Figures[name] {
				ratio := ""
				if f[1] > 0 {
					ratio = exact(f[0] / f[1])
				}
				lines = append(lines, []string{run.ID, strconv.Itoa(p.Block), p.Of, p.To, string(p.Status), exact(p.SlotMS), name,
					strconv.Itoa(i + 1), exact(f[0]), exact(f[1]), ratio})
			}
		}
	}
	if err := csv.NewWriter(out).WriteAll(lines); err != nil {
		return fmt.Errorf("write CSV of pairs: %w", err)
	}
	return nil
}
