package outcome

import (
	"fmt"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// Claims are all that a run says of what its lesson claims.
type Claims struct {
	Headlines []Verdict
	Figures   []Sight // of the study, nil where the lesson asks its own question
	Shapes    []Judgement
}

// All judges everything that the run's lesson claims.
func All(run *result.Run) Claims {
	var c Claims
	for _, h := range run.Lesson.Comparisons {
		c.Headlines = append(c.Headlines, Compare(run, h))
	}
	if run.Lesson.Study == nil {
		return c
	}
	for _, f := range run.Lesson.Study.Figures {
		c.Figures = append(c.Figures, See(run, f))
	}
	for _, s := range run.Lesson.Study.Findings {
		c.Shapes = append(c.Shapes, Judge(run, s))
	}
	return c
}

// Outcome is NotHeld where a shape is not held, CantSay where something could not be said, and else Held.
func (c Claims) Outcome() string {
	outcome := Held
	for _, v := range c.Headlines {
		if v.Word == NoInterval || v.Word == CantSay || v.Word == NotAsked {
			outcome = CantSay
		}
	}
	for _, j := range c.Shapes {
		switch j.Word {
		case NotHeld:
			return NotHeld
		case CantSay, NotAsked:
			outcome = CantSay
		}
	}
	return outcome
}

// A Sight is a figure that the study's author saw beside the one that was seen here.
type Sight struct {
	lesson.StudyFigure
	Figure metric.Metric
	Cell   *result.Cell // nil where the lesson measures nothing of the kind, or not in this run
	Seen   Interval     // of the cell's repeats; N is 0 where there is nothing
	Flags  []string     // that bear on the figure
	Why    string       // nothing was seen
}

// See finds what stands beside a study's figure.
func See(run *result.Run, s lesson.StudyFigure) Sight {
	sight := Sight{StudyFigure: s}
	if s.Metric == "" || s.Of == nil {
		sight.Why = "not measured here"
		return sight
	}
	f, err := metric.Find(s.Metric)
	if err != nil {
		sight.Why = err.Error()
		return sight
	}
	sight.Figure = f
	c, word, why := one(run, s.Of)
	sight.Cell = c
	if word == NotAsked {
		sight.Why = word
		return sight
	}
	if c == nil {
		sight.Why = why
		return sight
	}
	sight.Seen, sight.Flags = Summary(f.Values(c)), f.Flags(c)
	if sight.Seen.N == 0 && why == "" {
		why = Name(c) + " has no " + f.Name
	}
	if sight.Seen.N == 0 {
		sight.Why = why
	}
	return sight
}

// Text is the figure as it was seen here, with its unit: starred where it is flagged, or why there is none.
func (s Sight) Text() string {
	if s.Seen.N == 0 {
		return s.Why
	}
	text := s.Figure.Text(s.Seen.Center)
	if s.Figure.Unit != "" {
		text = fmt.Sprintf("%s %s", text, s.Figure.Unit)
	}
	if len(s.Flags) > 0 {
		text += "*"
	}
	return text
}
