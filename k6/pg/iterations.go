package pg

import (
	"strconv"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/metrics"
)

// iterationsOptions are the options of pg.iterations.
type iterationsOptions struct {
	Path     string `js:"path"`     // tag of the samples, unless empty
	Connects bool   `js:"connects"` // each opens a connection and closes it
	Timed    bool   `js:"timed"`    // each has a response time
	// Ledger has each attempt become a sample of pg_attempt whose metadata are a row of the ledger: see noteAttempt.
	Ledger   bool   `js:"ledger"`
	Client   int    `js:"client"`
	Workload string `js:"workload"`
}

// iterations counts what a VU does over and over, and times it where that is more than its statement or transaction:
// where it connects.
type iterations struct {
	*instance
	options iterationsOptions
	tagSet  *tagSet
	began   time.Time // of the one that is under way; zero where none is timed
	number  int       // of attempts that have begun
}

// newIterations is pg.iterations(options).
func (i *instance) newIterations(call sobek.FunctionCall) sobek.Value {
	it := &iterations{instance: i}
	i.iterates = true
	i.options("iterations", call.Argument(0), &it.options)
	it.tagSet = i.newTagSet("path", it.options.Path)
	return i.object(map[string]method{"begin": it.begin, "done": it.done, "failed": it.failed})
}

// begin is iterations.begin(): what follows belongs to the next iteration, its connect too.
func (it *iterations) begin(sobek.FunctionCall) sobek.Value {
	it.requireTest("iterations.begin()")
	if it.options.Timed || it.options.Ledger {
		it.began = time.Now()
	}
	it.warning.Store(nil)
	it.number++
	return sobek.Undefined()
}

// failed is iterations.failed(code): the attempt under way has ended with that error.
func (it *iterations) failed(call sobek.FunctionCall) sobek.Value {
	it.requireTest("iterations.failed()")
	it.noteAttempt(call.Argument(0).String(), nil, nil)
	it.end(it.phaseAt(time.Now()))
	return sobek.Undefined()
}

// noteAttempt puts the attempt that ends now into the ledger: who made it, what became of it ("ok", or an error's
// code), which server said that it answered, in which transaction it wrote, and what the server warned of.
func (it *iterations) noteAttempt(outcome string, server, transaction sobek.Value) {
	if !it.options.Ledger {
		return
	}
	now := time.Now()
	s := sample(it.metrics.Attempt, it.at(it.tagSet, it.phaseAt(now)), now, metrics.D(now.Sub(it.began)))
	s.Metadata = map[string]string{"client": strconv.Itoa(it.options.Client), "number": strconv.Itoa(it.number),
		"workload": it.options.Workload, "outcome": outcome}
	if warning := it.warning.Load(); warning != nil {
		s.Metadata["warning"] = *warning
	}
	for name, said := range map[string]sobek.Value{"server": server, "transaction": transaction} {
		if said != nil && !sobek.IsUndefined(said) {
			s.Metadata[name] = said.String()
		}
	}
	it.later(s)
}

// done is iterations.done(server, transaction): the iteration has succeeded. It belongs where its last statement does,
// and ended with it. Both arguments are for a ledger.
func (it *iterations) done(call sobek.FunctionCall) sobek.Value {
	it.requireTest("iterations.done()")
	it.noteAttempt("ok", call.Argument(0), call.Argument(1))
	ended := it.lastEnded()
	phase := it.phaseAt(ended)
	sums := it.end(phase)
	if it.options.Timed && !it.began.IsZero() {
		tags := it.at(it.tagSet, phase)
		it.later(sample(it.metrics.ResponseTime, tags, ended, metrics.D(ended.Sub(it.began))))
	}
	sums.iterations++
	if it.options.Connects {
		sums.openings++
	}
	return sobek.Undefined()
}

// end counts the round trips of the attempt that has ended, and returns the sums of the phase in which it did.
func (it *iterations) end(phase phase) *sums {
	if it.tagSet.base == nil {
		it.at(it.tagSet, phase)
	}
	sums := &it.tagSet.sums[phase]
	sums.trips += it.trips
	it.trips = 0
	return sums
}
