package pairing

import (
	"slices"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// A Way is how a comparison, or a finding's condition, is measured.
type Way struct {
	Pair   *result.Pair // nil where its cells run in blocks
	Blocks int          // of those that both cells have
	Reason string       // why there is no pair
}

// How says how the ratio of two cells' metric is measured; not ok where one of them isn't in this run.
func (p Plan) How(metric string, of, to lesson.Selector) (w Way, ok bool) {
	a, b := one(p.Cells, of), one(p.Cells, to)
	if a == nil || b == nil || a == b {
		return w, false
	}
	w.Blocks = min(a.Wanted-a.Paired, b.Wanted-b.Paired)
	both := func(of, to string) bool { return of == a.ID && to == b.ID || of == b.ID && to == a.ID }
	for i := range p.Pairs {
		if q := &p.Pairs[i]; both(q.Of, q.To) && slices.Contains(q.Metrics, metric) {
			w.Pair = q
		}
	}
	for _, u := range p.Unpaired {
		if both(u.Of, u.To) && u.Metric == metric {
			w.Reason = u.Reason
		}
	}
	return w, true
}
