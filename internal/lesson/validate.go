package lesson

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// usualRole is the one that clients log in as unless told otherwise.
const usualRole = "app"

// validate says what is wrong with the lesson that the schema can't know: how keys of an experiment go together, once
// it has those of the defaults, of the full size and of the command line.
func (l *Lesson) validate() error {
	for i, e := range l.Experiments {
		if slices.Contains(l.names()[:i], e.Name) {
			return fmt.Errorf("two experiments are called %s", e.Name)
		}
		if err := e.validate(); err != nil {
			return fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		if err := l.refusePgbench(&e); err != nil {
			return fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		if l.Full == nil && (e.FullOnly || e.full != nil) {
			return fmt.Errorf("experiment %s is larger in the full size, and the lesson doesn't say what that needs: "+
				"full is missing", e.Name)
		}
	}
	return nil
}

func (e *Experiment) validate() error {
	switch {
	case e.Transactions > 0 && e.Rate > 0:
		return errors.New("transactions and rate exclude each other: fixed work is done in a closed loop")
	case len(e.Instances) > 0 && slices.Max(e.Instances) > slices.Min(e.Clients):
		return fmt.Errorf("instances is %d and clients %d: each instance needs a client at least",
			slices.Max(e.Instances), slices.Min(e.Clients))
	case e.BandwidthKBs > 0 && !slices.ContainsFunc(e.Latencies, func(v Value) bool { return v != None }):
		return errors.New("bandwidth_kb_s is for cells through toxiproxy: latencies needs a number, 0 at least")
	}
	if len(e.Events) > 0 {
		return e.validateEvents()
	}
	return e.validateScenarios()
}

// validateEvents says what is wrong with an experiment that has events.
func (e *Experiment) validateEvents() error {
	last := e.Events[len(e.Events)-1]
	switch {
	case e.Rate == 0 || !e.Overload || len(e.Driver) > 1 || e.Driver[0] != K6:
		return errors.New("events are for k6's open loops whose rate isn't lowered: rate above 0, overload true, driver k6")
	case len(e.Latencies) > 1 || len(e.PoolSizes) > 1:
		return errors.New("cells with events run at once: they have one latency, and one size of a pool")
	case !e.Writes && slices.ContainsFunc(e.Workload, MarksRows):
		return errors.New("rows that are to be found again need an empty history: writes true")
	case last.At >= e.Seconds:
		return fmt.Errorf("the last event is due after %g s, and the window is over after %g", last.At, e.Seconds)
	case !slices.IsSortedFunc(e.Events, func(a, b Event) int { return cmp.Compare(a.At, b.At) }):
		return errors.New("events are to stand in the order in which they happen")
	}
	return nil
}

// MarksRows says whether each attempt of a workload writes one row that is looked for after a trial with events: its
// name begins with write.
func MarksRows(workload string) bool { return strings.HasPrefix(workload, "write") }
