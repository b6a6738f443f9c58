package lesson

import (
	"fmt"
	"slices"
)

// enlarge gives the lesson its full size: each experiment takes over what its full says, key by key.
func (l *Lesson) enlarge() error {
	l.enlarged = true
	for i := range l.Experiments {
		e := &l.Experiments[i]
		if e.full == nil {
			continue
		}
		e.plan, e.full = with(e.plan, e.full), nil
		if err := e.decode(); err != nil {
			return err
		}
	}
	return nil
}

// validateFull says what is wrong with the full size.
func (l *Lesson) validateFull() error {
	if l.Full == nil {
		return nil
	}
	large := *l
	large.Experiments = slices.Clone(l.Experiments)
	err := large.enlarge()
	if err == nil {
		err = large.validate()
	}
	if err != nil {
		return fmt.Errorf("in full size: %w", err)
	}
	return nil
}
