package lesson

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// enlarge gives the lesson its full size: each group takes over what its full says.
func (l *Lesson) enlarge() error {
	if l.Full == nil {
		return fmt.Errorf("lesson %s has no full size: it is as large as it gets without --full", l.Name)
	}
	for i := range l.Experiments {
		if err := l.Experiments[i].enlarge(); err != nil {
			return fmt.Errorf("group %q: %w", l.Experiments[i].Name, err)
		}
	}
	return nil
}

// enlarge goes through JSON: there a field that is given takes the place of the other one whole, whatever it holds.
func (g *Experiment) enlarge() error {
	if len(g.Full) == 0 {
		return nil
	}
	fields, over := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	text, err := json.Marshal(g)
	if err == nil {
		err = errors.Join(json.Unmarshal(text, &fields), json.Unmarshal(g.Full, &over))
	}
	if err != nil {
		return fmt.Errorf("read its full: %w", err)
	}
	delete(fields, "full")
	maps.Copy(fields, over)
	if text, err = json.Marshal(fields); err != nil {
		return fmt.Errorf("write its full: %w", err)
	}
	var larger Experiment
	if err := strictly(text, &larger); err != nil {
		return fmt.Errorf("read its full: %w", err)
	}
	if larger.Name != g.Name || larger.Full != nil || larger.FullOnly != g.FullOnly {
		return errors.New("its full can't change name, full or full_only")
	}
	*g = larger
	g.fill()
	return nil
}

// keepDefaultSize leaves out what only the full size has, and notes what that is.
func (l *Lesson) keepDefaultSize() {
	var kept []Experiment
	for _, g := range l.Experiments {
		if g.FullOnly {
			l.LeftOut = append(l.LeftOut, g.Name)
			continue
		}
		kept = append(kept, g)
	}
	l.Experiments = kept
}

// validateFull says what is wrong with the full size.
func (l *Lesson) validateFull() error {
	if l.Full == nil {
		return nil
	}
	large := *l
	large.Experiments = slices.Clone(l.Experiments)
	if err := large.enlarge(); err != nil {
		return err
	}
	if err := large.validate(); err != nil {
		return fmt.Errorf("in full size: %w", err)
	}
	return nil
}
