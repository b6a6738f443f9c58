package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/topology"
)

// An applied setting is one that the lab has changed and must restore.
type applied struct {
	component, name string
	before, after   string
	own             bool // it stood in ALTER SYSTEM's file before, with this value
}

// A component has settings that can be read and changed while it runs.
type component interface {
	// read returns what is in force, as the component itself writes it.
	read(ctx context.Context, name string) (applied, error)
	// apply puts value in force and returns when it is; the error says what is in force instead.
	apply(ctx context.Context, name, value string) error
	// restore undoes apply.
	restore(ctx context.Context, a applied) error
}

func (l *Servers) component(name string) (component, error) {
	if topology.IsNode(name) {
		return l.nodes[name], nil
	}
	if p := l.poolers[name]; p != nil {
		return poolerSettings{p}, nil
	}
	return nil, errors.New("the lab has no such component, or it is off")
}

// applySettings puts settings in force, by component and name, and remembers what was there before. What a repeat
// before could not restore is restored first.
func (l *Servers) applySettings(ctx context.Context, wanted map[string]map[string]string) error {
	if err := l.restoreSettings(ctx); err != nil {
		return err
	}
	for _, component := range slices.Sorted(maps.Keys(wanted)) {
		for _, name := range slices.Sorted(maps.Keys(wanted[component])) {
			if err := l.applySetting(ctx, component, name, wanted[component][name]); err != nil {
				return fmt.Errorf("set %s of %s to %s: %w", name, component, wanted[component][name], err)
			}
		}
	}
	return nil
}

func (l *Servers) applySetting(ctx context.Context, component, name, value string) error {
	c, err := l.component(component)
	if err != nil {
		return err
	}
	before, err := c.read(ctx, name)
	if err != nil {
		return err
	}
	before.component, before.name, before.after = component, name, value
	l.applied = append(l.applied, before)
	return c.apply(ctx, name, value)
}

// Changed says which of the settings that Prepare put in force is another one now, "" where none is.
func (l *Servers) Changed(ctx context.Context) (string, error) {
	var changes []string
	for _, a := range l.applied {
		c, err := l.component(a.component)
		if err != nil {
			return "", err
		}
		now, err := c.read(ctx, a.name)
		if err != nil {
			return "", err
		}
		if !pooler.SameValue(now.before, a.after) {
			changes = append(changes, fmt.Sprintf("%s of %s: %s → %s", a.name, a.component, a.after, now.before))
		}
	}
	return strings.Join(changes, "; "), nil
}

// restoreSettings restores what was applied. What can't be stays noted, for the next attempt.
func (l *Servers) restoreSettings(ctx context.Context) error {
	var left []applied
	var failed []error
	for _, a := range slices.Backward(l.applied) {
		c, err := l.component(a.component)
		if err == nil {
			err = undo(ctx, c, a)
		}
		if err != nil {
			left = append(left, a)
			failed = append(failed, fmt.Errorf("restore %s of %s to %s: %w", a.name, a.component, a.before, err))
		}
	}
	slices.Reverse(left)
	l.applied = left
	return errors.Join(failed...)
}

// undo restores a setting. One that can't be restored is as it was where its component had refused to change it.
func undo(ctx context.Context, c component, a applied) error {
	err := c.restore(ctx, a)
	if err == nil {
		return nil
	}
	if now, failed := c.read(ctx, a.name); failed == nil && now.before == a.before && now.own == a.own {
		return nil
	}
	return err
}

// poolerSettings are a pooler's.
type poolerSettings struct{ pooler pooler.Pooler }

func (p poolerSettings) read(ctx context.Context, name string) (applied, error) {
	value, err := p.pooler.Setting(ctx, name)
	return applied{before: value}, err
}

func (p poolerSettings) apply(ctx context.Context, name, value string) error {
	return p.pooler.Apply(ctx, name, value)
}

func (p poolerSettings) restore(ctx context.Context, a applied) error {
	return p.pooler.Apply(ctx, a.name, a.before)
}
