package report

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// Text is the run as a terminal shows it: in short, or in detail.
func Text(run *result.Run, details bool) string {
	if details {
		return detailed(run) + "\n"
	}
	return brief(run) + "\nRatios, round trips, flags: the report, or scripts/report --details\n"
}

// brief is one table of what was measured, why some of that is doubtful, and what the lesson's comparisons and findings
// came to.
func brief(run *result.Run) string {
	why, experiments := doubts{}, run.ByExperiment()
	var tables string
	if t := gridOf(run, experiments, why); t != nil {
		tables = "\n" + t.String()
	} else {
		clear(why)
		tables = lines(run, experiments, false, why)
	}
	return title(run) + tables + "\n" + why.line() + off(run) + firstFailure(run) + differing(run) + rates(run) +
		once(run) + outcomes(run)
}

// detailed has ratios, round trips and flags in its tables, and below them what was rejected, whether counts agree and
// what the words mean.
func detailed(run *result.Run) string {
	var b strings.Builder
	b.WriteString(title(run) + lines(run, run.ByExperiment(), true, doubts{}) + "\n")
	for _, p := range run.Paths {
		if p.Unavailable != "" {
			paragraph(&b, "", p.Name+" is off: "+p.Unavailable)
		}
	}
	b.WriteString(once(run) + outcomes(run))
	if run.Lesson.Explanation != "" {
		b.WriteString("\n")
		paragraph(&b, "", run.Lesson.Explanation)
	}
	b.WriteString(troubles(run) + counts(run) + legend(run))
	return b.String()
}

func title(run *result.Run) string {
	var b strings.Builder
	b.WriteString("\n")
	paragraph(&b, "", run.Lesson.Name+": "+run.Lesson.Question)
	paragraph(&b, "", fmt.Sprintf("%s UTC, %s, %s a node, %s a pooler, scale %d",
		run.Started.UTC().Format("2006-01-02 15:04"), metric.Count(run.Manifest.Host.CPUs, "CPU"),
		run.Manifest.CPUs("nodes"), run.Manifest.CPUs("poolers"), run.Manifest.Scale))
	if status, why, ok := run.Unended(); ok {
		paragraph(&b, strings.ToUpper(string(status))+": ", why+".")
	}
	if run.NotRestored != "" {
		paragraph(&b, "", "The latencies set before the run could not be put back: "+run.NotRestored)
	}
	return b.String()
}

// off names the paths that are off, in one line.
func off(run *result.Run) string {
	var names []string
	for _, p := range run.Paths {
		if p.Unavailable != "" {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	var b strings.Builder
	paragraph(&b, "Off: ", strings.Join(names, ", "))
	return b.String()
}

// firstFailure says why the first cell failed that did, and how many more there are.
func firstFailure(run *result.Run) string {
	var failed []*result.Cell
	for i := range run.Cells {
		if run.Cells[i].Status == result.Failed {
			failed = append(failed, &run.Cells[i])
		}
	}
	if len(failed) == 0 {
		return ""
	}
	var b strings.Builder
	text := cellName(failed[0]) + ": " + failed[0].Reason
	if n := len(failed) - 1; n > 0 {
		text += fmt.Sprintf(" (and %s more: --details)", metric.Count(n, "cell"))
	}
	paragraph(&b, "Failed: ", text)
	return b.String()
}

// differing says in how many repeats the clients' program and the servers counted differently, where they did.
func differing(run *result.Run) string {
	n := 0
	for _, c := range run.Cells {
		for _, r := range c.Repeats {
			if r.Status == result.OK && !r.Flagged(result.FlagErrors) && r.Flagged(result.FlagCounts) {
				n++
			}
		}
	}
	if n == 0 {
		return ""
	}
	return "The counts of clients and servers differ in " + metric.Count(n, "repeat") + ".\n"
}

// rates says how often iterations of open loops were due, by workload, where no path was to be overloaded.
func rates(run *result.Run) string {
	var all []string
	for _, c := range run.Cells {
		text := fmt.Sprintf("%s %g/s", c.Workload, c.Rate)
		if c.Rate > 0 && !c.Overload && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	paragraph(&b, "Rates on each path: ", strings.Join(all, ", ")+".")
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
		name := cellName(c)
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

func cellName(c *result.Cell) string {
	return fmt.Sprintf("%s, %s, %s", c.Path, c.Latency, c.Experiment)
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
