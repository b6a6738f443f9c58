package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"pooler-lab/internal/suggest"
	"pooler-lab/internal/topology"
)

// lab is what the latency commands act on.
type lab struct {
	set         *topology.Set
	client      *Client
	replication *Replication
	underWay    UnderWay
	began       time.Time // when the container of the lab's program started
}

// UnderWay says what is measuring just now ("lesson 00-tour"), not ok where nothing is.
type UnderWay func() (what string, ok bool)

func openLab(underWay UnderWay) (*lab, error) {
	set, err := topology.Load(topology.Root())
	if err != nil {
		return nil, err
	}
	client := New(APIURL(), set.LinkNames()...)
	replication, err := NewReplication(set, client.host())
	if err != nil {
		return nil, err
	}
	return &lab{set, client, replication, underWay, containerStarted()}, nil
}

// screen is where a command writes: its table, and notes beside it.
type screen struct {
	out, notes io.Writer
	json       bool
}

// changeAndShow applies a change to the links that names stand for, none if apply is nil, and shows them.
func (l *lab) changeAndShow(
	ctx context.Context,
	to screen,
	names []string,
	apply func(context.Context, []string) error,
) error {
	if len(names) == 0 {
		return errNoTarget
	}
	links, notes, err := targets(l.set, names)
	if err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintln(to.notes, note)
	}
	if what, busy := l.underWay(); busy && apply != nil {
		fmt.Fprintf(
			to.notes,
			"%s is running: a change of links spoils what it does just now (a lesson rejects such a cell)\n",
			what,
		)
	}
	// Shown even if something failed: what the links are now is what the person needs then.
	var applied error
	if apply != nil {
		applied = apply(ctx, links)
	}
	shown := l.show(ctx, to, links, apply == nil)
	if applied != nil {
		return applied
	}
	return shown
}

// show shows links. Who only looks is told, too, where a restart of toxiproxy is why nothing is on them.
func (l *lab) show(ctx context.Context, to screen, links []string, explain bool) error {
	rows, err := l.rows(ctx, links)
	if err != nil {
		return err
	}
	if explain && !slices.ContainsFunc(rows, func(r Row) bool { return r.set != "-" }) {
		if note := l.lost(ctx); note != "" {
			fmt.Fprintln(to.notes, note)
		}
	}
	if to.json {
		return writeJSON(to.out, rows)
	}
	return writeTable(to.out, rows)
}

// showOrSet tells by the first argument what is meant: nothing, names of links, a latency or a preset.
func (l *lab) showOrSet(ctx context.Context, to screen, args []string, jitter, bandwidth string) error {
	if len(args) == 0 && jitter == "" && bandwidth == "" {
		return l.changeAndShow(ctx, to, []string{everything}, nil)
	}
	if len(args) == 0 {
		return errors.New(
			"--jitter and --bandwidth go with a latency and a link, as in: scripts/latency 20ms client-primary --jitter 5ms",
		)
	}
	if len(args) > 1 && bareNumber.MatchString(args[0]) && timeUnits[args[1]] != "" {
		joined := args[0] + timeUnits[args[1]]
		return fmt.Errorf(
			"write %s in one word, as in: scripts/latency %s",
			joined,
			strings.Join(append([]string{joined}, args[2:]...), " "),
		)
	}
	settings, isTarget, err := l.meant(args[0])
	if err != nil {
		return err
	}
	if isTarget {
		if jitter != "" || bandwidth != "" {
			return fmt.Errorf("a latency is missing before %s, as in: scripts/latency 20ms %s", args[0], strings.Join(args, " "))
		}
		if err := l.outOfOrder(args); err != nil {
			return err
		}
		return l.changeAndShow(ctx, to, args, nil)
	}
	if settings, err = settings.with(jitter, bandwidth); err != nil {
		return err
	}
	return l.changeAndShow(ctx, to, args[1:], func(ctx context.Context, links []string) error {
		return l.setLinks(ctx, links, settings)
	})
}

// outOfOrder says what should come first where a latency, a preset or a command stands behind a link's name.
func (l *lab) outOfOrder(args []string) error {
	presets, err := LoadPresets(topology.Root())
	if err != nil {
		return err
	}
	for i, word := range args {
		what := ""
		switch {
		case looksLikeTime(word):
			what = "the latency"
		case slices.Contains(presets.names(), word):
			what = "the preset"
		case slices.Contains([]string{"off", "cut", "restore"}, word):
			what = word
		}
		if what != "" {
			right := slices.Concat([]string{word}, args[:i], args[i+1:])
			return fmt.Errorf("%s comes first: scripts/latency %s", what, strings.Join(right, " "))
		}
	}
	return nil
}

// meant returns the settings that a latency or a preset's name stands for, or says that it is a link or path.
func (l *lab) meant(word string) (s Settings, isTarget bool, err error) {
	if looksLikeTime(word) {
		s.LatencyMS, err = ParseMS(word)
		return s, false, err
	}
	presets, err := LoadPresets(topology.Root())
	if err != nil {
		return s, false, err
	}
	if preset, err := presets.Find(word); err == nil {
		return preset.Settings(), false, nil
	}
	if _, _, err := target(l.set, word); err == nil {
		return s, true, nil
	}
	return s, false, l.unknownWord(word, presets)
}

func (l *lab) unknownWord(word string, presets Presets) error {
	links, paths := l.set.LinkNames(), l.set.PathNames()
	commands := []string{everything, "off", "cut", "restore", "presets"}
	known := slices.Concat(presets.names(), links, paths, commands)
	text := fmt.Sprintf("%q is no latency (10ms), preset, link or path", word)
	if some := suggest.Begun(word, paths); len(some) > 0 {
		text += ": did you mean one of the paths " + strings.Join(some, ", ") + "?"
	} else if closest := suggest.Closest(word, known); closest != "" {
		text += ": did you mean " + closest + "?"
	}
	return fmt.Errorf("%s\npresets: %s\nlinks: %s\npaths: %s", text,
		strings.Join(presets.names(), ", "), strings.Join(links, ", "), strings.Join(paths, ", "))
}

func (l *lab) setLinks(ctx context.Context, links []string, s Settings) error {
	// Replication first: with a long latency in place already the standby would take long to stream.
	moved := l.moveReplication(ctx, links, true)
	set := each(links, func(link string) error { return l.client.Set(ctx, link, s) })
	return errors.Join(set, moved)
}

func (l *lab) cut(ctx context.Context, links []string) error {
	moved := l.moveReplication(ctx, links, true)
	cut := each(links, func(link string) error { return l.client.Cut(ctx, link) })
	return errors.Join(cut, moved)
}

func (l *lab) restore(ctx context.Context, links []string) error {
	return each(links, func(link string) error { return l.client.Restore(ctx, link) })
}

func (l *lab) off(ctx context.Context, links []string) error {
	off := l.client.Off(ctx, links...)
	return errors.Join(off, l.moveReplication(ctx, links, false))
}

// moveReplication puts the standby's replication on its link or takes it off, if that link is among links.
func (l *lab) moveReplication(ctx context.Context, links []string, over bool) error {
	if !slices.Contains(links, ReplicationLink) {
		return nil
	}
	err := l.replication.moveUnlessThere(ctx, over)
	if err == nil {
		return nil
	}
	where := map[bool]string{true: "put on", false: "taken off"}[over]
	return fmt.Errorf(
		"the standby's replication couldn't be %s %s: %w",
		where,
		ReplicationLink,
		err,
	)
}
