package htmlreport

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// conditions are the fields in which a group's cells may differ, besides their path: those that do are columns, the
// others stand in the caption.
var conditions = []struct{ field, head string }{
	{"latency_ms", "latency"}, {"link", "link"}, {"workload", "workload"}, {"clients", "clients"}, {"protocol", "protocol"}, {"role", "role"},
	{"pool_size", "pool"}, {"pods", "pods"}, {"pod_pool", "pod pool"}, {"rate", "rate"}, {"transactions", "transactions each"},
	{"bandwidth_kb_s", "bandwidth"}, {"replication_ms", "replication"}, {"fresh_database", "fresh database"}, {"params", "params"}, {"settings", "settings"},
}

// A group is the cells of one of a lesson's groups.
type group struct {
	name    string
	cells   []*result.Cell
	differ  []int // indices of the conditions in which they do
	figures []metric.Metric
}

// groupsOf are the run's, in the lesson's order.
func groupsOf(run *result.Run) []*group {
	var groups []*group
	for i := range run.Cells {
		c := &run.Cells[i]
		n := slices.IndexFunc(groups, func(g *group) bool { return g.name == c.Experiment })
		if n < 0 {
			groups, n = append(groups, &group{name: c.Experiment}), len(groups)
		}
		groups[n].cells = append(groups[n].cells, c)
	}
	for _, g := range groups {
		g.look()
	}
	return groups
}

// look finds out in what the group's cells differ and which figures they have.
func (g *group) look() {
	for i, condition := range conditions {
		if condition.field == "link" && len(valuesOf(g.cells, "path")) > 1 {
			continue // the path says it
		}
		if len(valuesOf(g.cells, condition.field)) > 1 {
			g.differ = append(g.differ, i)
		}
	}
	for _, c := range g.cells {
		for _, f := range metric.For(c) {
			if !slices.ContainsFunc(g.figures, func(h metric.Metric) bool { return h.Name == f.Name }) {
				g.figures = append(g.figures, f)
			}
		}
	}
}

// caption says what all of the group's cells share.
func (g *group) caption() string {
	c := g.cells[0]
	var parts []string
	for i, condition := range conditions {
		v := fieldOf(c, condition.field)
		if slices.Contains(g.differ, i) || v == nil || v == "" || condition.field == "link" && len(valuesOf(g.cells, "link")) > 1 {
			continue
		}
		switch condition.field {
		case "role":
			if v == "app" {
				continue
			}
			parts = append(parts, "role "+bare(v))
		case "transactions":
			parts = append(parts, metric.Count(c.Transactions, "transaction")+" each")
		case "link":
			parts = append(parts, "on link "+bare(v))
		case "params", "settings", "fresh_database":
			parts = append(parts, condition.head+" "+bare(v))
		default:
			parts = append(parts, said(condition.field, v))
		}
	}
	return sentence(strings.Join(parts, ", ")) + fmt.Sprintf("; windows of %s s; %s", bare(c.Seconds), metric.Count(c.Wanted, "repeat"))
}
