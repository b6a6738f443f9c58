package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// pgbouncer is the service whose settings can be turned, and the component's name in a lesson.
const pgbouncer = "pgbouncer"

// A turned setting is one that the lab has changed and must put back.
type turned struct {
	component, name string
	before, after   string
	own             bool // it stood in ALTER SYSTEM's file before, with this value
}

// A dial is where one component's settings can be read and turned while it runs.
type dial interface {
	// read returns what is in force, as the component itself writes it.
	read(ctx context.Context, name string) (turned, error)
	// set puts value in force and returns when it is; the error says what is in force instead.
	set(ctx context.Context, name, value string) error
	// putBack undoes set.
	putBack(ctx context.Context, t turned) error
}

func (l *Lab) dial(component string) dial {
	if n := l.nodes[component]; n != nil {
		return n
	}
	return console{l.pooler(component)}
}

// turn puts settings in force, by component and name, and remembers what was there before. What a repeat before
// could not put back is put back first.
func (l *Lab) turn(ctx context.Context, wanted map[string]map[string]string) error {
	if err := l.turnBack(ctx); err != nil {
		return err
	}
	for _, component := range slices.Sorted(maps.Keys(wanted)) {
		for _, name := range slices.Sorted(maps.Keys(wanted[component])) {
			if err := l.turnOne(ctx, component, name, wanted[component][name]); err != nil {
				return fmt.Errorf("set %s of %s to %s: %w", name, component, wanted[component][name], err)
			}
		}
	}
	return nil
}

func (l *Lab) turnOne(ctx context.Context, component, name, value string) error {
	d := l.dial(component)
	before, err := d.read(ctx, name)
	if err != nil {
		return err
	}
	before.component, before.name, before.after = component, name, value
	l.turned = append(l.turned, before)
	return d.set(ctx, name, value)
}

// Changed says which of the settings that Prepare put in force is another one now, "" where none is.
func (l *Lab) Changed(ctx context.Context) (string, error) {
	var changes []string
	for _, t := range l.turned {
		now, err := l.dial(t.component).read(ctx, t.name)
		if err != nil {
			return "", err
		}
		if !sameValue(now.before, t.after) {
			changes = append(changes, fmt.Sprintf("%s of %s: %s → %s", t.name, t.component, t.after, now.before))
		}
	}
	return strings.Join(changes, "; "), nil
}

// turnBack puts back what was turned. What can't be stays noted, for the next attempt.
func (l *Lab) turnBack(ctx context.Context) error {
	var left []turned
	var failed []error
	for _, t := range slices.Backward(l.turned) {
		if err := l.dial(t.component).putBack(ctx, t); err != nil {
			left = append(left, t)
			failed = append(failed, fmt.Errorf("put %s of %s back to %s: %w", t.name, t.component, t.before, err))
		}
	}
	slices.Reverse(left)
	l.turned = left
	return errors.Join(failed...)
}

// sameValue says whether two spellings of a setting are the same: PgBouncer takes 5 and shows 5.0 of some.
func sameValue(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	return errA == nil && errB == nil && x == y
}

func quoted(value string) string { return "'" + strings.ReplaceAll(value, "'", "''") + "'" }

// A console is PgBouncer's, as a dial.
type console struct{ *line }

func (c console) read(ctx context.Context, name string) (turned, error) {
	rows, err := c.ask(ctx, "SHOW CONFIG")
	if err != nil {
		return turned{}, err
	}
	r := find(rows, "key", name)
	switch {
	case r == nil:
		return turned{}, errors.New("PgBouncer has no such setting (SHOW CONFIG lists them)")
	case r["changeable"] != "yes":
		return turned{}, errors.New("PgBouncer can't change it while it runs")
	}
	return turned{before: r["value"]}, nil
}

func (c console) set(ctx context.Context, name, value string) error {
	if _, err := c.ask(ctx, "SET "+name+" = "+quoted(value)); err != nil {
		return err
	}
	now, err := c.read(ctx, name)
	if err == nil && !sameValue(now.before, value) {
		err = fmt.Errorf("it is %s all the same", now.before)
	}
	return err
}

func (c console) putBack(ctx context.Context, t turned) error { return c.set(ctx, t.name, t.before) }
