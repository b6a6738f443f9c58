package run

import (
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// A warm-up in which clients were still on their way is made longer: so many times, and so many seconds at least.
const (
	longerTimes = 4
	longerLeast = 2.0
)

// hurried says whether the window opened while clients were still on their way; one that was refused isn't.
func hurried(c lesson.Cell, m *result.Measured) bool {
	return c.Transactions == 0 && m.ClientsReady+m.ClientsFailed < c.Clients
}

// lengthen gives the cell at i a longer warm-up for the attempts to come, and no less to those of its path that have as
// many connections to open: the author chose it on a machine where that was enough. A cell is lengthened once.
func (r *runner) lengthen(i int) {
	from := r.scheduled[i]
	enough := max(longerTimes*from.Warmup, longerLeast)
	for j := range r.scheduled {
		c := &r.scheduled[j]
		if j != i && (c.Path != from.Path || connections(*c) < connections(from) || c.Latency.MS() < from.Latency.MS() || c.Transactions > 0) {
			continue
		}
		if more := enough - c.Warmup; more > 0 {
			c.Warmup = enough
			r.progress.longer(more*float64(r.doc.Cells[j].Left()), *c)
		}
		r.lengthened[c.ID] = true
	}
}

// connections is how many the cell's clients open.
func connections(c lesson.Cell) int {
	if c.Pods > 0 {
		return c.Pods * c.PodPool
	}
	return c.Clients
}
