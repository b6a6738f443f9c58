package report

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// Table is the run as a terminal shows it.
func Table(run *result.Run) string {
	var b strings.Builder
	b.WriteString(title(run))
	var body string
	groups := groupsOf(run)
	isGrid := gridFits(run, groups)
	if isGrid {
		body = grid(run, groups)
	} else {
		body = lines(run, groups)
	}
	b.WriteString(body)
	b.WriteString(claims(run))
	b.WriteString(reading(run))
	b.WriteString(troubles(run))
	b.WriteString(counts(run))
	b.WriteString(legend(run, isGrid))
	return b.String()
}

func title(run *result.Run) string {
	var b strings.Builder
	b.WriteString("\n")
	paragraph(&b, "", run.Lesson.Name+": "+run.Lesson.Question)
	fmt.Fprintf(&b, "%s UTC, %d CPUs, %s a node, %s a pooler, scale %d, seed %d\n", run.Started.UTC().Format("2006-01-02 15:04"),
		run.Manifest.Host.CPUs, budget(run, "nodes"), budget(run, "poolers"), run.Manifest.Scale, run.Seed)
	switch run.Status {
	case result.Finished:
	case result.Running:
		paragraph(&b, "INTERRUPTED: ", "it never ended, or hasn't yet; "+missing(run))
	default:
		paragraph(&b, strings.ToUpper(string(run.Status))+": ", run.Reason+"; "+missing(run))
	}
	if run.NotRestored != "" {
		fmt.Fprintf(&b, "The latencies set before the run could not be put back: %s\n", run.NotRestored)
	}
	return b.String()
}

// counts says whether k6 and the servers agree on how much was done.
func counts(run *result.Run) string {
	text := run.Reconciled()
	if text == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n")
	paragraph(&b, "Counts: ", text)
	return b.String()
}

func missing(run *result.Run) string {
	all := 0
	for _, c := range run.Cells {
		all += c.Wanted
	}
	return fmt.Sprintf("%d of %d repeats are missing; - is a figure that no repeat gave", run.Unfinished, all)
}

func budget(run *result.Run, of string) string {
	for _, budget := range run.Manifest.Limits {
		if budget.Of == of && budget.CPUs != "" {
			return budget.CPUs + " CPU"
		}
	}
	return "no CPU budget"
}

func groupsOf(run *result.Run) []string {
	var groups []string
	for _, c := range run.Cells {
		if !slices.Contains(groups, c.Experiment) {
			groups = append(groups, c.Experiment)
		}
	}
	return groups
}

// latenciesOf are the latencies of the run's cells, without the proxy first.
func latenciesOf(run *result.Run) []lesson.Latency {
	var all []lesson.Latency
	for _, c := range run.Cells {
		if !slices.Contains(all, c.Latency) {
			all = append(all, c.Latency)
		}
	}
	slices.SortFunc(all, func(a, b lesson.Latency) int {
		if a.Proxied() != b.Proxied() {
			return map[bool]int{true: 1, false: -1}[a.Proxied()]
		}
		return a.MS() - b.MS()
	})
	return all
}

// heading says in words what a latency is.
func heading(l lesson.Latency) string {
	switch {
	case !l.Proxied():
		return "Without latency, no toxiproxy in the way"
	case l.MS() == 0:
		return "Through toxiproxy, no latency asked"
	}
	return fmt.Sprintf("%d ms of round trip asked, through toxiproxy", l.MS())
}

// find returns the run's first cell that is as wanted, nil where none is.
func find(run *result.Run, wanted func(*result.Cell) bool) *result.Cell {
	for i := range run.Cells {
		if wanted(&run.Cells[i]) {
			return &run.Cells[i]
		}
	}
	return nil
}

// base is the cell that c is compared with: the direct path's under the same conditions.
func base(run *result.Run, c *result.Cell) *result.Cell {
	return find(run, func(d *result.Cell) bool {
		return d.Path == "direct" && d.Experiment == c.Experiment && d.Latency == c.Latency && d.Workload == c.Workload &&
			d.Clients == c.Clients && d.Protocol == c.Protocol && d.Role == c.Role && d.Instances == c.Instances && d.InstancePool == c.InstancePool
	})
}

// compares says whether some cell has a ratio to another one, the direct path's.
func compares(run *result.Run) bool {
	return slices.ContainsFunc(run.Cells, func(c result.Cell) bool {
		direct := base(run, &c)
		return direct != nil && direct.ID != c.ID
	})
}

// troubles lists what failed and why, and the most frequent error of each cell that had some.
func troubles(run *result.Run) string {
	var b strings.Builder
	for i := range run.Cells {
		c := &run.Cells[i]
		var why []string
		if c.Reason != "" {
			why = append(why, c.Reason)
		}
		if most := errorOf(c); most.Count > 0 && (most.Message == "" || !strings.Contains(c.Reason, most.Message)) {
			why = append(why, fmt.Sprintf("most frequent error: %d x %s (%s)", most.Count, most.Code, most.Message))
		}
		if len(why) == 0 {
			continue
		}
		text := fmt.Sprintf("%s, %s, %s: %s", c.Path, c.Latency, c.Experiment, strings.Join(why, "; "))
		for i, l := range wrap(text, width-2) {
			b.WriteString(strings.Repeat(" ", 2*min(i, 1)) + l + "\n")
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nWhat failed, and why:\n" + b.String()
}
