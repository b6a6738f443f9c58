package outcome

import (
	"fmt"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// Select returns the cells of the run that s picks, in the run's order. A nil selector picks none, an empty one all.
func Select(run *result.Run, s lesson.Selector) []*result.Cell {
	var picked []*result.Cell
	for i := range run.Cells {
		if s.Picks(&run.Cells[i].Cell) {
			picked = append(picked, &run.Cells[i])
		}
	}
	return picked
}

// one returns the cell that s picks, where it has figures; otherwise a word (NotAsked, CantSay) and why.
func one(run *result.Run, s lesson.Selector) (c *result.Cell, word, why string) {
	cells := Select(run, s)
	switch {
	case len(cells) == 0:
		return missing(run, s)
	case len(cells) > 1:
		return nil, CantSay, fmt.Sprintf("%s picks %d cells of this run, it must pick one", s, len(cells))
	}
	c = cells[0]
	failed := map[int]bool{} // blocks
	for _, r := range c.Repeats {
		failed[r.Block] = r.Status == result.Failed
	}
	n := 0
	for _, yes := range failed {
		if yes {
			n++
		}
	}
	switch {
	case len(c.Repeats) == 0:
		return c, CantSay, Name(c) + " didn't run"
	case n > 0:
		return c, CantSay, fmt.Sprintf("%s failed in %d of %d blocks: %s", Name(c), n, len(failed), c.Reason)
	case c.Last() == nil:
		return c, CantSay, Name(c) + " has no repeat that counts: " + c.Reason
	}
	return c, "", ""
}

// missing says why s picks no cell: its path is off, or nobody asked for it.
func missing(run *result.Run, s lesson.Selector) (*result.Cell, string, string) {
	for _, p := range run.Paths {
		if p.Unavailable != "" && s["path"] == lesson.Word(p.Name) {
			return nil, CantSay, p.Name + " is not available: " + p.Unavailable
		}
	}
	return nil, NotAsked, "no cell of this run is " + s.String()
}

// Name says in words which cell of its group c is.
func Name(c *result.Cell) string {
	words := []string{c.Path}
	if c.Latency.Proxied() {
		words = append(words, fmt.Sprintf("%d ms", c.Latency.MS()))
	}
	words = append(words, c.Workload, metric.Count(c.Clients, "client"))
	if !c.HasUsualRole() {
		words = append(words, c.Role)
	}
	for _, n := range []struct {
		count int
		said  string
	}{{c.PoolSize, fmt.Sprintf("pool of %d", c.PoolSize)}, {c.Instances, metric.Count(c.Instances, "pod")}, {c.InstancePool, fmt.Sprintf("%d each", c.InstancePool)}} {
		if n.count > 0 {
			words = append(words, n.said)
		}
	}
	return strings.Join(words, ", ")
}
