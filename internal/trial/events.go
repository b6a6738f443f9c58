package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pooler-lab/internal/generator"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
	"pooler-lab/k6/summary"
)

// How long an event, and then putting the nodes back, may take: a node may have to be cloned.
const (
	eventTime = 2 * time.Minute
	resetTime = 5 * time.Minute
)

// loadWithEvents is the load of cells that run at once while something happens to the nodes. Then the nodes are put
// back, whatever became of the load. What clients have written is looked for afterwards: writes that only the old
// primary had are gone by then. The servers' counts aren't compared with k6's, since a node that is cloned begins to
// count anew, nor are links and settings with those before.
func (lab *Lab) loadWithEvents(ctx context.Context, t *Trial) error {
	lab.Phase(t.Sides[0].Cell.DrivenBy())
	err := lab.load(ctx, t)
	lab.Phase("putting the nodes back")
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), resetTime)
	defer cancel()
	if resetErr := lab.Faults.Do(after, "reset", ""); resetErr != nil {
		return errors.Join(err, fmt.Errorf("put the nodes back ('scripts/break reset' tries again): %w", resetErr))
	}
	if err != nil {
		return err
	}
	return lab.readLedger(after, t)
}

// readLedger looks for each write of the ledger and summarizes it.
func (lab *Lab) readLedger(ctx context.Context, t *Trial) error {
	file := summary.LedgerOf(t.Sides[0].Out.Summary)
	attempts, err := summary.ReadLedger(filepath.Join(lab.Folder, file))
	if err != nil {
		return err
	}
	marks, err := lab.Servers.Marks(ctx)
	if err != nil {
		return err
	}
	found := func(mark string) bool { return marks[mark] }
	clients, succeeded := 0, int64(0)
	for i, s := range t.Sides {
		var own []summary.Attempt
		for _, a := range attempts {
			if a.Cell == i {
				own = append(own, a)
			}
		}
		seen := t.seen.Sides[i]
		clients, succeeded = clients+s.Cell.Clients, succeeded+seen.Count("pg_iterations", summary.Whole)
		s.Out.Events = t.happened
		s.Out.Ledger = summarize(own, *seen.Window, found)
		s.Out.Ledger.File = file
	}
	if err := check(attempts, clients, succeeded); err != nil {
		return err
	}
	if happened, events := len(t.happened), len(t.Events()); happened < events {
		return fmt.Errorf("%d of %d events happened before the window was over", happened, events)
	}
	for _, e := range t.happened {
		if e.Error != "" {
			return fmt.Errorf("%s: %s", e.Do, e.Error)
		}
	}
	return shared.WriteFile(filepath.Join(lab.Folder, file), toCSV(attempts, found))
}

// play has the trial's events happen once the window has opened. Its end waits for the one that is under way.
func (lab *Lab) play(ctx context.Context, t *Trial, told generator.Job) (end func() error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- lab.happen(ctx, t, told) }()
	return func() error {
		cancel()
		err := <-ended
		os.Remove(told.Opened)
		os.Remove(told.Stop)
		return err
	}
}

// happen has each event happen when it is due, until ctx ends. The window closes as long after the last event's end as
// the plan has it close after that event is due: however long events take, clients have that time to come back.
func (lab *Lab) happen(ctx context.Context, t *Trial, told generator.Job) error {
	opened, err := windowOpened(ctx, told.Opened)
	if ctx.Err() != nil {
		return nil // the load says why it ended so early
	}
	if err != nil {
		return fmt.Errorf("read when the window opened: %w", err)
	}
	closes := opened
	for _, e := range t.Events() {
		if !wait(ctx, opened.Add(shared.Seconds(e.At))) {
			return nil
		}
		t.happened = append(t.happened, lab.carryOut(ctx, e, opened))
		closes = time.Now().Add(shared.Seconds(t.Sides[0].Cell.Seconds - e.At))
	}
	if !wait(ctx, closes) {
		return nil
	}
	return shared.WriteFile(told.Stop, nil)
}

// windowOpened waits until k6 has written to a file when the window has opened.
func windowOpened(ctx context.Context, file string) (opened time.Time, err error) {
	err = shared.Until(ctx, shared.Forever, 5*time.Millisecond, func() (bool, error) {
		text, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		if err == nil {
			opened, err = time.Parse(time.RFC3339Nano, string(text))
		}
		return true, err
	})
	return opened, err
}

// wait waits until a moment, and returns false where ctx has ended first.
func wait(ctx context.Context, moment time.Time) bool {
	select {
	case <-ctx.Done():
	case <-time.After(time.Until(moment)):
	}
	return ctx.Err() == nil
}

// carryOut has one event happen. It is carried out to its end, whoever stops the run meanwhile: half a switchover is
// worse than none.
func (lab *Lab) carryOut(ctx context.Context, e lesson.Event, opened time.Time) result.Event {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), eventTime)
	defer cancel()
	verb, node, _ := strings.Cut(e.Do, " ")
	did := result.Event{Event: e, Began: time.Since(opened).Seconds()}
	if err := lab.Faults.Do(ctx, verb, node); err != nil {
		did.Error = err.Error()
	}
	did.Ended = time.Since(opened).Seconds()
	return did
}
