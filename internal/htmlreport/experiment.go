package htmlreport

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// conditions are the fields in which an experiment's cells may differ, besides their path: those that do are columns,
// the others stand in the caption.
var conditions = []struct{ field, head string }{
	{"latency_ms", "latency"}, {"link", "link"}, {"workload", "workload"}, {"clients", "clients"},
	{"protocol", "protocol"}, {"role", "role"}, {"pool_size", "pool"}, {"pods", "app instances"},
	{"pod_pool", "pool of each"}, {"rate", "rate"}, {"transactions", "transactions each"},
	{"bandwidth_kb_s", "bandwidth"}, {"replication_ms", "replication"}, {"fresh_database", "fresh database"},
	{"params", "params"}, {"settings", "settings"},
}

// An experiment is the cells of one of a lesson's.
type experiment struct {
	name    string
	cells   []*result.Cell
	differ  []int // indices of the conditions in which they do
	metrics []metric.Metric
}

// experimentsOf are the run's, in the lesson's order.
func experimentsOf(run *result.Run) []*experiment {
	var experiments []*experiment
	for i := range run.Cells {
		c := &run.Cells[i]
		n := slices.IndexFunc(experiments, func(e *experiment) bool { return e.name == c.Experiment })
		if n < 0 {
			experiments, n = append(experiments, &experiment{name: c.Experiment}), len(experiments)
		}
		experiments[n].cells = append(experiments[n].cells, c)
	}
	for _, e := range experiments {
		e.compare()
	}
	return experiments
}

// compare finds out in what the experiment's cells differ and which metrics they have.
func (e *experiment) compare() {
	for i, condition := range conditions {
		if condition.field == "link" && len(valuesOf(e.cells, "path")) > 1 {
			continue // the path says it
		}
		if len(valuesOf(e.cells, condition.field)) > 1 {
			e.differ = append(e.differ, i)
		}
	}
	for _, c := range e.cells {
		for _, f := range metric.For(c) {
			if !slices.ContainsFunc(e.metrics, func(h metric.Metric) bool { return h.Name == f.Name }) {
				e.metrics = append(e.metrics, f)
			}
		}
	}
}

// caption says what all of the experiment's cells share.
func (e *experiment) caption() string {
	c := e.cells[0]
	var parts []string
	for i, condition := range conditions {
		v := fieldOf(c, condition.field)
		if slices.Contains(e.differ, i) || v == nil || v == "" ||
			condition.field == "link" && len(valuesOf(e.cells, "link")) > 1 {
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
	return sentence(strings.Join(parts, ", ")) +
		fmt.Sprintf("; windows of %s s; %s", bare(c.Seconds), metric.Count(c.Wanted, "repeat"))
}
