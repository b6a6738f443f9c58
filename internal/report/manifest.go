package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// machine is the run in one line.
func machine(run *result.Run) string {
	return fmt.Sprintf("%s UTC, %s, %s a node, %s a pooler, scale %d",
		run.Started.UTC().Format("2006-01-02 15:04"), metric.Count(run.Manifest.Host.CPUs, "CPU"),
		run.Manifest.CPUs("nodes"), run.Manifest.CPUs("poolers"), run.Manifest.Scale)
}

// manifestOf lists what the run was made on and with.
func manifestOf(run *result.Run) []Term {
	m := run.Manifest
	terms := []Term{
		{"run", run.ID},
		{"began", run.Started.UTC().Format("2006-01-02 15:04:05 UTC")},
		{"took", took(run)},
		{"order", order(run)},
		{"seed", strconv.FormatUint(run.Seed, 10) + ", of the order within each block"},
		{"host", host(m.Host)},
		{"authentication", logins(m.Authentication)},
		{"data", fmt.Sprintf("pgbench's tables at scale %d", m.Scale)},
		{"max_connections", perService(m.MaxConnections)},
	}
	if len(m.HugePages) > 0 {
		terms = append(terms, Term{"huge pages", perService(m.HugePages)})
	}
	if counts := run.Reconciled(); counts != "" {
		terms = append(terms, Term{"counts", counts})
	}
	for _, b := range m.Limits {
		if b.CPUs != "" || b.Memory != "" {
			of := "limit of " + strings.Join(b.Services, ", ")
			terms = append(terms, Term{of, strings.Trim(b.CPUs+" CPU, "+b.Memory+" each", ", ")})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Versions)) {
		terms = append(terms, Term{name, m.Versions[name]})
	}
	return append(terms, Term{"lesson file", fmt.Sprintf("%s, SHA-256 %s", run.Lesson.File, run.Lesson.SHA256)})
}

// order says in which order the cells ran. Each pair is a block of its own.
func order(run *result.Run) string {
	text, pronoun := metric.Count(run.Blocks-len(run.Pairs), "block"), ""
	if len(run.Pairs) > 0 {
		text, pronoun = metric.Count(len(run.Pairs), "pair")+" of cells side by side, then "+text, " of these"
	}
	return text + ", each" + pronoun + " with one repeat of every cell that still wants one, shuffled"
}

// logins says what each role's clients are asked for, and on which paths.
func logins(all []result.Login) string {
	var texts []string
	for _, l := range all {
		texts = append(texts, fmt.Sprintf("%s: %s (%s)", l.Role, l.Method, strings.Join(l.Paths, ", ")))
	}
	return strings.Join(texts, "; ")
}

// perService lists what each service has.
func perService(values map[string]string) string {
	var texts []string
	for _, service := range slices.Sorted(maps.Keys(values)) {
		texts = append(texts, service+" "+values[service])
	}
	return strings.Join(texts, ", ")
}

func took(run *result.Run) string {
	if run.Ended == nil {
		return "unknown: it never ended, or hasn't yet"
	}
	return run.Ended.Sub(run.Started).Round(time.Second).String()
}

func host(h result.Host) string {
	memory := ""
	if h.MemoryBytes > 0 {
		memory = fmt.Sprintf("%.1f GB of memory", float64(h.MemoryBytes)/1e9)
	}
	return joinFilled(", ", metric.Count(h.CPUs, "CPU"), memory, h.Arch, h.Kernel)
}

// sampling shows how often the servers' sessions were sampled, and what that cost them.
func sampling(run *result.Run) Table {
	t := Table{Caption: "What sampling cost the servers, over all repeats", Keys: 1,
		Head: []Head{{Text: "server"}, {Text: "samples", Number: true}, {Text: "a second", Number: true},
			{Text: "each took", Unit: "ms", Number: true}, {Text: "of the time, at most", Unit: "%", Number: true}}}
	type total struct {
		samples        int
		hz, cost, most float64
		repeats        float64
	}
	totals := map[string]*total{}
	for _, c := range run.Cells {
		for _, r := range c.Repeats {
			for _, n := range r.Nodes {
				if totals[n.Service] == nil {
					totals[n.Service] = new(total)
				}
				sum := totals[n.Service]
				sum.samples += n.Samples
				sum.hz, sum.cost, sum.repeats = sum.hz+n.Hz, sum.cost+n.CostMS, sum.repeats+1
				sum.most = max(sum.most, n.CostShare)
			}
		}
	}
	for _, service := range slices.Sorted(maps.Keys(totals)) {
		sum := totals[service]
		t.add(service, sum.samples, chart.Number(sum.hz/sum.repeats), chart.Number(sum.cost/sum.repeats),
			chart.Number(100*sum.most))
	}
	return t
}
