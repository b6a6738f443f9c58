package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/server"
)

// outline says what a run would be, and runs nothing: its experiments, how long it takes, what it needs. The error is
// that of a full size that doesn't fit.
func outline(ctx context.Context, file string, o lesson.Override, out io.Writer) error {
	set, p, err := prepare(ctx, file, o)
	if err != nil {
		return err
	}
	servers, err := server.NewLab(set, os.Getenv("LAB_PASSWORD"))
	if err != nil {
		return err
	}
	defer servers.Close()
	scale, err := servers.Scale(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n\n", p.lesson.Name, p.lesson.Question)
	if err := p.write(out); err != nil {
		return err
	}
	for _, path := range p.paths {
		if path.Unavailable != "" {
			fmt.Fprintf(out, "%s is off: %s\n", path.Name, path.Unavailable)
		}
	}
	progress := p.progress(io.Discard, 0, set, o)
	fmt.Fprintf(out, "\n%s, %s\n", metric.Count(progress.total, "repeat"), progress.howLong())
	if !o.Full {
		return nil
	}
	if needs := spokenNeeds(p.lesson.Full); needs != "" {
		fmt.Fprintf(out, "It needs %s.\n", needs)
	}
	return thisCapacity(ctx, servers, scale).refuse(p.lesson.Full)
}

// write lists the plan's experiments, a line each.
func (p *plan) write(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "experiment\tcells\trepeats each\tpaths\tworkloads\tclients\tround trips, ms")
	for _, experiment := range p.lesson.Experiments {
		var paths, workloads, clients, latencies []string
		cells, repeats := 0, 0
		for _, c := range p.cells {
			if c.Experiment != experiment.Name {
				continue
			}
			cells, repeats = cells+1, c.Wanted
			latency := "none"
			if c.Latency.Proxied() {
				latency = fmt.Sprint(c.Latency.MS())
			}
			paths, workloads = append(paths, c.Path), append(workloads, c.Workload)
			clients, latencies = append(clients, fmt.Sprint(c.Clients)), append(latencies, latency)
		}
		if cells > 0 {
			fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%s\t%s\t%s\n", experiment.Name, cells, repeats,
				each(paths), each(workloads), each(clients), each(latencies))
		}
	}
	return table.Flush()
}

// each lists every value once, in the order of their first appearance.
func each(values []string) string {
	var all []string
	for _, v := range values {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return strings.Join(all, ", ")
}
