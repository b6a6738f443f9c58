package plan

import (
	"slices"
	"time"

	"pooler-lab/internal/generator"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
)

// perTrial is what a trial takes beside its warm-up and window, on a quiet machine: it starts k6, proves its paths and
// reads counts.
const perTrial = 1500 * time.Millisecond

// perScenario is what one takes, on a quiet machine.
const perScenario = 50 * time.Millisecond

// perReset is what putting the nodes back takes after a trial with events, on a quiet machine.
const perReset = 20 * time.Second

// The sorts of trials. Those of a sort take alike of what is planned for them: a window has a fixed length, and a pair
// or fixed work has a most that it may take.
const (
	windows = iota
	atMost
	sorts
)

// A Planned trial is how long it takes as far as its plan says.
type Planned struct {
	sort int
	time time.Duration
}

// OfCell is a trial of one cell.
func OfCell(c lesson.Cell) Planned {
	p := Planned{windows, shared.Seconds(generator.LeastWarmup(c)+c.Seconds) + perTrial}
	p.time += time.Duration(len(c.Scenarios)) * perScenario
	if c.Events != nil {
		p.time += perReset
	}
	if c.Transactions > 0 {
		p.sort = atMost
	}
	return p
}

// OfPair is a trial of two cells.
func OfPair(pair result.Pair, cells []result.Cell) Planned {
	warmup := 0.0
	for _, c := range cells {
		if c.ID == pair.Of || c.ID == pair.To {
			warmup = max(warmup, c.Warmup)
		}
	}
	return Planned{atMost, shared.Seconds(warmup+pair.AtMost) + perTrial}
}

// Left are the trials of a run that have not ended: pairs, and repeats of cells that no pair has.
func Left(doc *result.Run) (all []Planned) {
	pairs := map[string]int{} // that have not ended, by cell
	for _, p := range doc.Pairs {
		if p.Status == result.Planned {
			pairs[p.Of]++
			pairs[p.To]++
			all = append(all, OfPair(p, doc.Cells))
		}
	}
	for i := range doc.Cells {
		c := &doc.Cells[i]
		if RunsWithAnother(doc, i) {
			continue
		}
		for range c.Left() - pairs[c.ID] {
			all = append(all, OfCell(c.Cell))
		}
	}
	return all
}

// RunsWithAnother says whether the cell runs at once with another one, and isn't the first of these.
func RunsWithAnother(doc *result.Run, cell int) bool {
	c := &doc.Cells[cell]
	first := slices.IndexFunc(doc.Cells, func(o result.Cell) bool { return o.Experiment == c.Experiment })
	return c.Events != nil && cell != first
}

// An Estimate says how long trials take: the sum of what is planned, scaled by what those that have ended took of it.
type Estimate struct {
	left  [sorts]time.Duration // planned
	ended [sorts]time.Duration // planned
	took  [sorts]time.Duration
	// share is what trials of atMost take of their plan until some have ended, as far as the lesson's author says; 0 is
	// unknown.
	share float64
}

// NewEstimate is that of a run's trials. expected is what its lesson's author says of all of it; 0 is unknown.
func NewEstimate(doc *result.Run, expected time.Duration) Estimate {
	var e Estimate
	e.Plan(Left(doc))
	if expected > 0 && e.left[atMost] > 0 {
		e.share = min(1, max(0.1, float64(expected-e.left[windows])/float64(e.left[atMost])))
	}
	return e
}

// Plan says what is left.
func (e *Estimate) Plan(all []Planned) {
	e.left = [sorts]time.Duration{}
	for _, p := range all {
		e.left[p.sort] += p.time
	}
}

// scaled is how much of d trials of the sort take. What is known before any has ended counts as a quarter of them all.
func (e *Estimate) scaled(sort int, d time.Duration) time.Duration {
	before := 1.0
	if sort == atMost && e.share > 0 {
		before = e.share
	}
	weight := float64(e.left[sort]+e.ended[sort]) / 4
	if weight == 0 {
		return d
	}
	return time.Duration(float64(d) * (before*weight + float64(e.took[sort])) / (weight + float64(e.ended[sort])))
}

// Of is how long a trial of what is left takes.
func (e *Estimate) Of(p Planned) time.Duration { return e.scaled(p.sort, p.time) }

// Took notes how long a trial took that has ended.
func (e *Estimate) Took(p Planned, took time.Duration) {
	e.ended[p.sort] += p.time
	e.took[p.sort] += took
}

// Most is what is left if pairs and fixed work take the most that they may; not ok where nobody has said that they
// take less.
func (e *Estimate) Most() (most time.Duration, ok bool) {
	return e.left[windows] + e.left[atMost], e.share > 0 && e.share < 1
}

// All is how long what is left takes.
func (e *Estimate) All() time.Duration {
	return e.scaled(windows, e.left[windows]) + e.scaled(atMost, e.left[atMost])
}

// String says it to people, who are told of the most where nobody knows more.
func (e *Estimate) String() string {
	if e.left[atMost] > 0 && e.share == 0 {
		return metric.Clock(e.All()) + " at most"
	}
	return "about " + metric.Clock(e.All())
}

// HowMany says of what a run consists.
func HowMany(doc *result.Run) string {
	repeats := metric.Count(len(Left(doc))-len(doc.Pairs), "repeat")
	if len(doc.Pairs) == 0 {
		return repeats
	}
	return metric.Count(len(doc.Pairs), "pair") + " and " + repeats
}
