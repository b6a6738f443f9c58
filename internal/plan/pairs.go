package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// pairUp plans which of the lesson's cells are measured as pairs: both cells' clients connected and warm in one k6,
// alternating slot by slot. It follows from the cells; a lesson's author needn't know. Selectors that don't pick one of
// the cells plan nothing.
//
// It sets the cells' Wanted, Paired and Planned: one that only pairs need runs in one block as well, for what only a
// cell by itself shows (CPU, waits, memory).
func (p *Plan) pairUp(lab Room) {
	if p.Lesson.NoPairs {
		return
	}
	inBlocks := map[string]bool{} // ids of cells that are needed as often as their experiment says
	for _, id := range alone(p.Lesson, p.Cells) {
		inBlocks[id] = true
	}
	for _, r := range ratios(p.Lesson, p.Cells) {
		if reason := lab.whyNot(r); reason != "" {
			p.unpair(r, reason)
			inBlocks[r.of.ID], inBlocks[r.to.ID] = true, true
			continue
		}
		p.add(r)
	}
	for i := range p.Cells {
		p.settle(&p.Cells[i], inBlocks[p.Cells[i].ID])
	}
}

// ordered are the pairs in the order in which they are to run: shuffled, as cells within a block are, so that what
// drifts on the machine, or what the first minute does to it, meets no comparison of the lesson in every run. The same
// seed gives the same order.
func ordered(planned []result.Pair, seed uint64) []result.Pair {
	pairs := slices.Clone(planned)
	random := rand.New(rand.NewPCG(seed, uint64(len(pairs))))
	random.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	for i := range pairs {
		pairs[i].Block = i + 1
	}
	return pairs
}

// add adds the ratio to the pair of its cells, whichever of them is divided by the other.
func (p *Plan) add(r ratio) {
	i := slices.IndexFunc(p.pairs, func(q result.Pair) bool {
		return q.Of == r.of.ID && q.To == r.to.ID || q.Of == r.to.ID && q.To == r.of.ID
	})
	if i < 0 {
		p.pairs = append(p.pairs, result.Pair{Of: r.of.ID, To: r.to.ID, Metrics: []string{r.metric}, Status: result.Planned,
			Until: float64(r.until), AtMost: r.atMost})
		return
	}
	q := &p.pairs[i]
	if !slices.Contains(q.Metrics, r.metric) {
		q.Metrics = append(q.Metrics, r.metric)
	}
	if r.comparison { // those come first: a pair that only findings need has the lesson's precision
		q.Until, q.AtMost = min(q.Until, float64(r.until)), max(q.AtMost, r.atMost)
	}
}

// unpair notes why the ratio isn't measured side by side, once.
func (p *Plan) unpair(r ratio, reason string) {
	u := result.Unpaired{Of: r.of.ID, To: r.to.ID, Metric: r.metric, Reason: reason}
	inverted := u
	inverted.Of, inverted.To = u.To, u.Of
	if !slices.Contains(p.unpaired, u) && !slices.Contains(p.unpaired, inverted) {
		p.unpaired = append(p.unpaired, u)
	}
}

// settle says how often the cell runs.
func (p *Plan) settle(c *lesson.Cell, inBlocks bool) {
	for _, q := range p.pairs {
		if q.Of == c.ID || q.To == c.ID {
			c.Paired++
		}
	}
	if c.Paired == 0 {
		return
	}
	c.Planned = c.Wanted
	if !inBlocks {
		c.Wanted = 1
	}
	c.Wanted += c.Paired
}

// A ratio is a metric of two cells of which the lesson wants the ratio.
type ratio struct {
	of, to     *lesson.Cell
	metric     string
	until      lesson.Percent
	atMost     float64
	comparison bool // and not a finding's condition
}

// ratios are those of the comparisons, then those of the findings, the study's last.
func ratios(l *lesson.Lesson, cells []lesson.Cell) (all []ratio) {
	add := func(c lesson.Comparison, comparison bool) {
		of, to := one(cells, c.Of), one(cells, c.To)
		if of == nil || to == nil || of == to || lesson.MadeOne(of, to, l.Had(of), l.Had(to)) {
			return
		}
		r := ratio{of: of, to: to, metric: c.Metric, comparison: comparison}
		r.until, r.atMost = l.Precision(c)
		all = append(all, r)
	}
	for _, c := range l.Comparisons {
		add(c, true)
	}
	for _, c := range conditions(l) {
		add(lesson.Comparison{Metric: c.Metric, Of: c.Of, To: c.To}, false)
	}
	return all
}

// alone are the ids of the cells of which findings judge a figure by itself, or its difference to another cell's: what
// cells don't show slot by slot.
func alone(l *lesson.Lesson, cells []lesson.Cell) (ids []string) {
	for _, c := range conditions(l) {
		if c.To != nil {
			continue
		}
		for _, s := range []lesson.Selector{c.Of, c.Minus} {
			if cell := one(cells, s); cell != nil {
				ids = append(ids, cell.ID)
			}
		}
	}
	return ids
}

func conditions(l *lesson.Lesson) (all []lesson.Condition) {
	for _, f := range l.AllFindings() {
		all = append(all, f.All...)
	}
	return all
}

// one is the cell that the selector picks; nil where it picks none, or several.
func one(cells []lesson.Cell, s lesson.Selector) *lesson.Cell {
	if picked := s.Among(cells); len(picked) == 1 {
		return picked[0]
	}
	return nil
}

// How says how the ratio of two cells' metric is measured: side by side, or in how many blocks and why; not ok where
// one of the cells isn't in this run.
func (p *Plan) How(c lesson.Comparison) (text string, ok bool) {
	a, b := one(p.Cells, c.Of), one(p.Cells, c.To)
	if a == nil || b == nil || a == b {
		return "", false
	}
	both := func(of, to string) bool { return of == a.ID && to == b.ID || of == b.ID && to == a.ID }
	for _, q := range p.pairs {
		if both(q.Of, q.To) && slices.Contains(q.Metrics, c.Metric) {
			return fmt.Sprintf("side by side, until %s, at most %g s", lesson.Percent(q.Until), q.AtMost), true
		}
	}
	text = metric.Count(min(a.Wanted-a.Paired, b.Wanted-b.Paired), "block")
	for _, u := range p.unpaired {
		if both(u.Of, u.To) && u.Metric == c.Metric {
			text += ": " + u.Reason
		}
	}
	return text, true
}
