package outcome

import (
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
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

// Name says in words which cell of its experiment c is.
func Name(c *result.Cell) string { return strings.Join(Parts(c), ", ") }

// Parts are those of a cell's name: its path, its latency where it has one, its workload, its clients, ...
func Parts(c *result.Cell) []string {
	var parts []string
	for _, d := range lesson.Dimensions() {
		unsaid := d.Name == "latency_ms" && !c.Latency.Proxied()
		if slices.Contains(named, d.Name) && !unsaid && d.Text(d.Of(&c.Cell)) != "" {
			parts = append(parts, d.Text(d.Of(&c.Cell)))
		}
	}
	return parts
}

// named are the dimensions that a cell's name has. What else it is stands with its experiment.
var named = []string{"path", "latency_ms", "workload", "clients", "driver", "role", "pool_size", "instances", "instance_pool"}
