package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
)

// lockFile is within results/. The kernel lets go of it when its holder ends, however that ends, so it is never
// stale; the file itself stays.
const lockFile = ".lock"

// A holder is what a run writes into the lock file for whoever comes second.
type holder struct {
	PID     int       `json:"pid"`
	What    string    `json:"what"` // such as lesson 00-tour
	Started time.Time `json:"started"`
}

// Hold keeps other runs, and whatever else changes the lab, out of results until free is called; what names the holder
// ("lesson 00-tour", "a reset"). Where somebody was first, the error says who.
func Hold(results, what string) (free func(), err error) {
	f, err := os.OpenFile(filepath.Join(results, lockFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the lock of %s: %w", results, err)
	}
	if err := tryLock(f); err != nil {
		defer f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		by := read(f)
		return nil, fmt.Errorf("%s is under way since %s UTC (process %d), and two at once would spoil each other's "+
			"figures: wait until it has ended, or end it with 'scripts/lab cancel'", by.What,
			by.Started.UTC().Format("15:04:05"), by.PID)
	}
	text, err := json.Marshal(holder{os.Getpid(), what, time.Now().UTC().Truncate(time.Second)})
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(text, 0)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("write the lock of %s: %w", results, err)
	}
	return func() { f.Close() }, nil
}

// UnderWay returns what is measuring into results just now ("lesson 00-tour"), not ok where nothing is.
func UnderWay(results string) (what string, ok bool) {
	by, ok, err := whoHolds(results)
	return by.What, ok && err == nil
}

// whoHolds returns the run under way, not ok where there is none.
func whoHolds(results string) (by holder, ok bool, err error) {
	f, err := os.Open(filepath.Join(results, lockFile))
	if errors.Is(err, os.ErrNotExist) {
		return holder{}, false, nil
	}
	if err != nil {
		return holder{}, false, fmt.Errorf("open the lock of %s: %w", results, err)
	}
	defer f.Close()
	if err := tryLock(f); err == nil {
		return holder{}, false, nil
	} else if !errors.Is(err, syscall.EWOULDBLOCK) {
		return holder{}, false, fmt.Errorf("look at the lock of %s: %w", results, err)
	}
	return read(f), true, nil
}

// tryLock tries for a moment: somebody who only looks holds the lock for an instant.
func tryLock(f *os.File) (err error) {
	_ = session.Until(context.Background(), 50*time.Millisecond, 10*time.Millisecond, func() (bool, error) {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		return !errors.Is(err, syscall.EWOULDBLOCK), nil
	})
	return err
}

// read returns what the holder wrote; a holder that has only just locked has written nothing yet.
func read(f *os.File) holder {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<12))
	by := holder{What: "something"}
	if err == nil {
		_ = json.Unmarshal(text, &by)
	}
	return by
}

// cancelWait is how long a run may take to end its cell, put the latencies back and write its results.
const cancelWait = 30 * time.Second

// NewCancelCommand makes 'lab cancel', which ends the run under way as Ctrl-C in its own terminal does. It may be
// called as often as one likes.
func NewCancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel",
		Short: "End the lesson that is running, keep its finished cells and put the latencies back",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return Cancel(filepath.Join(topology.Root(), "results"), c.OutOrStdout())
		},
	}
}

// Cancel asks the run under way in results to stop and waits until it has.
func Cancel(results string, out io.Writer) error {
	by, running, err := whoHolds(results)
	if err != nil {
		return err
	}
	if !running {
		fmt.Fprintln(out, "No lesson is running.")
		return nil
	}
	if by.PID > 0 {
		if err := syscall.Kill(by.PID, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop %s (process %d): %w", by.What, by.PID, err)
		}
	}
	err = session.Until(context.Background(), cancelWait, 50*time.Millisecond, func() (bool, error) {
		_, running, err := whoHolds(results)
		return !running, err
	})
	if errors.Is(err, session.ErrLate) {
		return fmt.Errorf("%s (process %d) is still running %v after it was asked to stop", by.What, by.PID, cancelWait)
	}
	return err
}
