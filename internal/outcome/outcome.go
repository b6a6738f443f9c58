// Package outcome says what a run shows, and how surely: the comparisons that a lesson makes, and whether it reproduces
// the findings of a study. It judges from run.json alone.
package outcome

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
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

// A Judged is an outcome, and why it is no other where there is something to say.
type Judged struct {
	Outcome Outcome
	Reason  Reason
}

func inconclusive(why string) Judged { return Judged{Inconclusive, Reason{Text: why}} }

// String is both in words.
func (j Judged) String() string { return Because(j.Outcome.String(), j.Reason.String()) }

// Outcomes are all that a run says of what its lesson asks.
type Outcomes struct {
	Comparisons []Compared
	Figures     []StudyFigure // nil where the lesson asks its own question
	Findings    []Found       // the study's, and after them the lab's own
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
	overall := NotInThisRun
	for _, j := range slices.Concat(all.judged()) {
		switch {
		case j.Outcome == NotReproduced:
			return NotReproduced
		case j.Outcome == NotInThisRun:
		case !j.Outcome.Concludes():
			overall = Inconclusive
		case overall == NotInThisRun:
			overall = Reproduced
		}
	}
	return overall
}

// judged are the comparisons and the findings.
func (all Outcomes) judged() (comparisons, findings []Judged) {
	for _, c := range all.Comparisons {
		comparisons = append(comparisons, c.Judged)
	}
	for _, f := range all.Findings {
		findings = append(findings, f.Judged)
	}
	return comparisons, findings
}

// mostNamed is how many experiments an option names at most: more of them break a line in a word.
const mostNamed = 3

// LeftOutText says in a sentence how many comparisons and findings need experiments that the run left out, and how to
// have them; empty where none does.
func (all Outcomes) LeftOutText() string {
	var counts, options []string
	experiments := map[string][]string{} // by the options that run them
	note := func(judged []Judged, noun string) {
		n := 0
		for _, j := range judged {
			name, with := j.Reason.LeftOut, j.Reason.With
			if name == "" {
				continue
			}
			if n++; !slices.Contains(experiments[with], name) {
				experiments[with] = append(experiments[with], name)
			}
		}
		if n > 0 {
			counts = append(counts, metric.Count(n, noun))
		}
	}
	comparisons, findings := all.judged()
	note(comparisons, "comparison")
	note(findings, "finding")
	if len(counts) == 0 {
		return ""
	}
	for _, option := range slices.Sorted(maps.Keys(experiments)) {
		names := strings.Join(experiments[option], ",")
		if len(experiments[option]) > mostNamed {
			names = lesson.All
		}
		options = append(options, option+" "+names)
	}
	return fmt.Sprintf("Not in this run: %s of experiments that it left out. To measure them: %s",
		strings.Join(counts, " and "), strings.Join(options, " or "))
}

// Flags are the kinds of flags that reasons name, each as often as it is named.
func (all Outcomes) Flags() (kinds []result.FlagKind) {
	for _, j := range slices.Concat(all.judged()) {
		kinds = append(kinds, j.Reason.Flags...)
	}
	return kinds
}
