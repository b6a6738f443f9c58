package pg

import (
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/metrics"
)

// iterationsOptions are the options of pg.iterations.
type iterationsOptions struct {
	Path     string `js:"path"`     // tag of the samples, unless empty
	Connects bool   `js:"connects"` // each opens a connection and closes it
	Timed    bool   `js:"timed"`    // each has a response time
}

// iterations counts what a VU does over and over, and times it where that is more than its statement or transaction:
// where it connects.
type iterations struct {
	*instance
	options iterationsOptions
	tagSet  *tagSet
	began   time.Time // of the one that is under way; zero where none is timed
}

// newIterations is pg.iterations(options).
func (i *instance) newIterations(call sobek.FunctionCall) sobek.Value {
	it := &iterations{instance: i}
	i.options("iterations", call.Argument(0), &it.options)
	it.tagSet = i.newTagSet("path", it.options.Path)
	return i.object(map[string]method{"begin": it.begin, "done": it.done})
}

// begin is iterations.begin(): what follows belongs to the next iteration, its connect too.
func (it *iterations) begin(sobek.FunctionCall) sobek.Value {
	it.requireTest("iterations.begin()")
	if it.options.Timed {
		it.began = time.Now()
	}
	return sobek.Undefined()
}

// done is iterations.done(): the iteration has succeeded. It belongs where its last statement does, and ended with it.
func (it *iterations) done(sobek.FunctionCall) sobek.Value {
	it.requireTest("iterations.done()")
	ended := it.lastEnded()
	phase := it.phaseAt(ended)
	if it.tagSet.base == nil || !it.began.IsZero() {
		tags := it.at(it.tagSet, phase)
		if !it.began.IsZero() {
			it.later(sample(it.metrics.ResponseTime, tags, ended, metrics.D(ended.Sub(it.began))))
		}
	}
	sums := &it.tagSet.sums[phase]
	sums.iterations++
	if it.options.Connects {
		sums.openings++
	}
	return sobek.Undefined()
}
