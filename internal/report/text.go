package report

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// Table is the run as a terminal shows it.
func Table(run *result.Run) string {
	var b strings.Builder
	b.WriteString(title(run))
	var body string
	experiments := run.ByExperiment()
	isGrid := gridFits(run, experiments)
	if isGrid {
		body = grid(run, experiments)
	} else {
		body = lines(run, experiments)
	}
	b.WriteString(body)
	b.WriteString(outcomes(run))
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
	fmt.Fprintf(&b, "%s UTC, %s, %s a node, %s a pooler, scale %d, seed %d\n",
		run.Started.UTC().Format("2006-01-02 15:04"), metric.Count(run.Manifest.Host.CPUs, "CPU"),
		run.Manifest.CPUs("nodes"), run.Manifest.CPUs("poolers"), run.Manifest.Scale, run.Seed)
	if status, why, ok := run.Unended(); ok {
		paragraph(&b, strings.ToUpper(string(status))+": ", why+".")
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

// latencyTitle says in words what a latency is.
func latencyTitle(l lesson.Latency) string {
	switch {
	case !l.Proxied():
		return "Without latency, without toxiproxy"
	case l.MS() == 0:
		return "Through toxiproxy, 0 ms set"
	}
	return fmt.Sprintf("Through toxiproxy, %d ms of round trip set", l.MS())
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

// compares says whether some cell has a ratio to another one, the direct path's.
func compares(run *result.Run) bool {
	return slices.ContainsFunc(run.Cells, func(c result.Cell) bool {
		direct := run.Direct(&c)
		return direct != nil && direct.ID != c.ID
	})
}

// troubles lists what failed and why, the most frequent error of each cell that had some, and each repeat that was
// rejected.
func troubles(run *result.Run) string {
	var failed, rejected strings.Builder
	for i := range run.Cells {
		c := &run.Cells[i]
		name := fmt.Sprintf("%s, %s, %s", c.Path, c.Latency, c.Experiment)
		var why []string
		if c.Reason != "" && (c.Status != result.OK || !rejectedWith(c, c.Reason)) {
			why = append(why, c.Reason)
		}
		if text := mostFrequent(c); text != "" {
			why = append(why, text)
		}
		if len(why) > 0 {
			hanging(&failed, name+": "+strings.Join(why, "; "))
		}
		for _, r := range c.Repeats {
			if r.Status == result.Rejected {
				hanging(&rejected, fmt.Sprintf("%s, block %d, attempt %d: %s", name, r.Block, r.Attempt, r.Reason))
			}
		}
	}
	text := blockedPairs(run)
	if failed.Len() > 0 {
		text += "\nWhat failed, and why:\n" + failed.String()
	}
	if rejected.Len() > 0 {
		text += "\nRejected repeats, which count for nothing:\n" + rejected.String()
	}
	return text
}

// blockedPairs lists the pairs whose cells ran in blocks instead, and why.
func blockedPairs(run *result.Run) string {
	var b strings.Builder
	for i, p := range run.BlockedPairs() {
		if i == 0 {
			b.WriteString("\nPlanned side by side, but run in blocks:\n")
		}
		hanging(&b, fmt.Sprintf("%s, %s: %s", p.Of, p.To, p.Reason))
	}
	return b.String()
}

// rejectedWith says whether the reason is that of a rejected repeat, which stands in a list of its own.
func rejectedWith(c *result.Cell, reason string) bool {
	return slices.ContainsFunc(c.Repeats, func(r result.Repeat) bool {
		return r.Status == result.Rejected && r.Reason == reason
	})
}

// mostFrequent is the cell's most frequent error, unless that is why it failed.
func mostFrequent(c *result.Cell) string {
	all := c.Errors()
	if len(all) == 0 || all[0].Message != "" && strings.Contains(c.Reason, all[0].Message) {
		return ""
	}
	most := all[0]
	text := fmt.Sprintf("most frequent error: %d x %s", most.Measured, most.Code)
	if most.Message != "" {
		text += " (" + most.Message + ")"
	}
	if most.Outside > 0 {
		text += fmt.Sprintf(", and %d x outside of the measured window", most.Outside)
	}
	return text
}

// hanging writes text wrapped, its later lines indented.
func hanging(b *strings.Builder, text string) {
	for i, l := range wrap(text, width-2) {
		b.WriteString(strings.Repeat(" ", 2*min(i, 1)) + l + "\n")
	}
}
