// Package outcome says what a run shows, and how surely: the comparisons that a lesson makes, and whether it reproduces
// the findings of a study. It judges from run.json alone.
package outcome

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// An Outcome is what a comparison or a finding comes to in a run.
type Outcome string

// A comparison comes to one of the first three, a finding to Reproduced or NotReproduced, both to any of the
// last three.
const (
	Lower             Outcome = "lower"               // the whole interval of the ratio is below 1
	Higher            Outcome = "higher"              // it is above 1
	NoClearDifference Outcome = "no clear difference" // it includes 1
	Reproduced        Outcome = "reproduced"          // all conditions hold
	NotReproduced     Outcome = "not reproduced"      // one doesn't
	NoInterval        Outcome = "no interval"         // fewer than six repeats or twelve groups: it supports no conclusion
	Inconclusive      Outcome = "inconclusive"        // a cell failed, a flag vetoes it, or the limit is too near
	NotInThisRun      Outcome = "not in this run"     // its experiment was left out
)

// String is the outcome in words.
func (o Outcome) String() string { return string(o) }

// Concludes says whether the run says something of the question.
func (o Outcome) Concludes() bool {
	return o != NoInterval && o != Inconclusive && o != NotInThisRun
}

// Outcomes are all that a run says of what its lesson asks.
type Outcomes struct {
	Comparisons []Comparison
	Figures     []StudyFigure // nil where the lesson asks its own question
	Findings    []Finding     // the study's, and after them the lab's own
}

// All judges everything that the run's lesson asks.
func All(run *result.Run) Outcomes {
	var all Outcomes
	for _, c := range run.Lesson.Comparisons {
		all.Comparisons = append(all.Comparisons, Compare(run, c))
	}
	if study := run.Lesson.Study; study != nil {
		for _, f := range study.Figures {
			all.Figures = append(all.Figures, See(run, f))
		}
		for _, f := range study.Findings {
			all.Findings = append(all.Findings, Judge(run, f))
		}
	}
	for _, f := range run.Lesson.Findings {
		found := Judge(run, f)
		found.Own = true
		all.Findings = append(all.Findings, found)
	}
	return all
}

// Overall is NotReproduced where a finding isn't, Inconclusive where the run says too little of something that it was
// made for, NotInThisRun where it was made for nothing of the kind, and else Reproduced.
func (all Outcomes) Overall() Outcome {
	asked, concludes := false, true
	note := func(o Outcome) {
		if o != NotInThisRun {
			asked, concludes = true, concludes && o.Concludes()
		}
	}
	for _, c := range all.Comparisons {
		note(c.Outcome)
	}
	for _, f := range all.Findings {
		if f.Outcome == NotReproduced {
			return NotReproduced
		}
		note(f.Outcome)
	}
	switch {
	case !asked:
		return NotInThisRun
	case !concludes:
		return Inconclusive
	}
	return Reproduced
}

// LeftOut says which experiments the run left out that comparisons and findings need, each once, and how many of both
// need them.
func (all Outcomes) LeftOut() (experiments, onlyInFull []string, comparisons, findings int) {
	note := func(r Reason, count *int) {
		if r.LeftOut == "" {
			return
		}
		*count++
		names := &experiments
		if r.InFull {
			names = &onlyInFull
		}
		if !slices.Contains(*names, r.LeftOut) {
			*names = append(*names, r.LeftOut)
		}
	}
	for _, c := range all.Comparisons {
		note(c.Reason, &comparisons)
	}
	for _, f := range all.Findings {
		note(f.Reason, &findings)
	}
	return experiments, onlyInFull, comparisons, findings
}

// LeftOutText says in a sentence what the run left out and how to have it; empty where that is nothing.
func (all Outcomes) LeftOutText() string {
	experiments, onlyInFull, comparisons, findings := all.LeftOut()
	var counts, options []string
	if comparisons > 0 {
		counts = append(counts, metric.Count(comparisons, "comparison"))
	}
	if findings > 0 {
		counts = append(counts, metric.Count(findings, "finding"))
	}
	if len(counts) == 0 {
		return ""
	}
	if len(experiments) > 0 {
		options = append(options, "--experiments "+strings.Join(experiments, ","))
	}
	if len(onlyInFull) > 0 {
		options = append(options, "--full --experiments "+strings.Join(onlyInFull, ","))
	}
	return fmt.Sprintf("Not in this run: %s of experiments that it left out. Measure them with %s.",
		strings.Join(counts, " and "), strings.Join(options, ", or with "))
}

// Flags are the kinds of flags that reasons name, each as often as it is named.
func (all Outcomes) Flags() []result.FlagKind {
	var kinds []result.FlagKind
	for _, c := range all.Comparisons {
		kinds = append(kinds, c.Reason.Flags...)
	}
	for _, f := range all.Findings {
		kinds = append(kinds, f.Reason.Flags...)
	}
	return kinds
}
