package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pooler-lab/internal/driver"
	"pooler-lab/internal/ledger"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/internal/session"
	"pooler-lab/k6/summary"
)

// faults break and heal the nodes: see package fault.
type faults interface {
	Do(ctx context.Context, verb, node string) error
}

// A sayer has lines written to it said.
type sayer func(format string, args ...any)

// Write says one line.
func (s sayer) Write(line []byte) (int, error) {
	s("%s", strings.TrimSpace(string(line)))
	return len(line), nil
}

// How long an event, and then putting the nodes back, may take: a node may have to be cloned.
const (
	eventTime = 2 * time.Minute
	resetTime = 5 * time.Minute
)

// loadWithEvents is the load of cells that run at once while something happens to the nodes. Then the nodes are put
// back, whatever became of the load. What clients have written is looked for afterwards: writes that only the old
// primary had are gone by then. The servers' counts aren't compared with k6's, since a node that is cloned begins to
// count anew, nor are links and settings with those before.
func (r *runner) loadWithEvents(ctx context.Context, t *trial) error {
	r.progress.enter(t.sides[0].cell.DrivenBy())
	err := r.load(ctx, t)
	r.progress.enter("putting the nodes back")
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), resetTime)
	defer cancel()
	if resetErr := r.faults.Do(after, "reset", ""); resetErr != nil {
		return errors.Join(err, fmt.Errorf("put the nodes back ('scripts/break reset' tries again): %w", resetErr))
	}
	if err != nil {
		return err
	}
	return r.readLedger(after, t)
}

// readLedger looks for each write of the ledger and summarizes it.
func (r *runner) readLedger(ctx context.Context, t *trial) error {
	file := summary.LedgerOf(t.sides[0].out.Summary)
	attempts, err := summary.ReadLedger(filepath.Join(r.dir, file))
	if err != nil {
		return err
	}
	marks, err := r.servers.Marks(ctx)
	if err != nil {
		return err
	}
	found := func(mark string) bool { return marks[mark] }
	clients, succeeded := 0, int64(0)
	for i, s := range t.sides {
		var own []summary.Attempt
		for _, a := range attempts {
			if a.Cell == i {
				own = append(own, a)
			}
		}
		seen := t.seen.Sides[i]
		clients, succeeded = clients+s.cell.Clients, succeeded+seen.Count("pg_iterations", summary.Whole)
		s.out.Events = t.happened
		s.out.Ledger = ledger.Of(own, *seen.Window, found)
		s.out.Ledger.File = file
	}
	if err := ledger.Check(attempts, clients, succeeded); err != nil {
		return err
	}
	if happened, events := len(t.happened), len(t.events()); happened < events {
		return fmt.Errorf("%d of %d events happened before the window was over", happened, events)
	}
	for _, e := range t.happened {
		if e.Error != "" {
			return fmt.Errorf("%s: %s", e.Do, e.Error)
		}
	}
	return result.WriteFile(filepath.Join(r.dir, file), ledger.CSV(attempts, found))
}

// play has the trial's events happen once the window has opened. Its end waits for the one that is under way.
func (r *runner) play(ctx context.Context, t *trial, told driver.Trial) (end func() error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- r.happen(ctx, t, told) }()
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
func (r *runner) happen(ctx context.Context, t *trial, told driver.Trial) error {
	opened, err := windowOpened(ctx, told.Opened)
	if ctx.Err() != nil {
		return nil // the load says why it ended so early
	}
	if err != nil {
		return fmt.Errorf("read when the window opened: %w", err)
	}
	closes := opened
	for _, e := range t.events() {
		if !wait(ctx, opened.Add(inSeconds(e.At))) {
			return nil
		}
		t.happened = append(t.happened, r.carryOut(ctx, e, opened))
		closes = time.Now().Add(inSeconds(t.sides[0].cell.Seconds - e.At))
	}
	if !wait(ctx, closes) {
		return nil
	}
	return result.WriteFile(told.Stop, nil)
}

// windowOpened waits until k6 has written to a file when the window has opened.
func windowOpened(ctx context.Context, file string) (opened time.Time, err error) {
	err = session.Until(ctx, session.Forever, 5*time.Millisecond, func() (bool, error) {
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
func (r *runner) carryOut(ctx context.Context, e lesson.Event, opened time.Time) result.Event {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), eventTime)
	defer cancel()
	verb, node, _ := strings.Cut(e.Do, " ")
	did := result.Event{Event: e, Began: time.Since(opened).Seconds()}
	if err := r.faults.Do(ctx, verb, node); err != nil {
		did.Error = err.Error()
	}
	did.Ended = time.Since(opened).Seconds()
	return did
}
