package lesson

import (
	"errors"
	"fmt"
	"slices"
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
	return nil
}
