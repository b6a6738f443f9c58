package result

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

	"pooler-lab/internal/shared"
)

// A run is one folder below results/ and one lock on results/ itself. Who holds the lock has written its name into it.
// Where that is a run, its Progress says which folder it has and how far it is.
//
// A run that is killed leaves this: its lock, which the kernel frees; its progress, which names a run that nobody holds
// any more; its run.json, which says that it is running, up to the last cell; a login of the role without a password,
// which the next run takes away; nodes that are broken, for which the next run refuses to begin; latencies and
// settings, which stay until scripts/reset. Its k6 gets a signal as it ends.

// lockFile is within results/. The kernel lets go of it when its holder ends, however that ends, so it is never
// stale; the file itself stays.
const lockFile = ".lock"

// liveFolder is where, below results/, the console's live load is held as a run is held in results/.
const liveFolder = ".live"

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

// HoldLive tells other programs of a live load until free is called. It keeps nobody out.
func HoldLive(results, what string) (free func(), err error) {
	folder := filepath.Join(results, liveFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	return Hold(folder, what)
}

// LiveLoad returns the live load that runs just now, not ok where none does.
func LiveLoad(results string) (what string, ok bool) {
	return UnderWay(filepath.Join(results, liveFolder))
}

// NewFolder makes a folder for a run of that name below results, named after the moment, too. Two runs of a second have
// two folders.
func NewFolder(results, name string) (id string, started time.Time, err error) {
	for {
		started = time.Now().UTC()
		id = started.Format("20060102T150405Z") + "-" + name
		err = os.Mkdir(filepath.Join(results, id), 0o755)
		if !errors.Is(err, os.ErrExist) {
			break
		}
		time.Sleep(time.Until(started.Truncate(time.Second).Add(time.Second)))
	}
	if err != nil {
		return "", started, fmt.Errorf("make the run's folder: %w", err)
	}
	return id, started, nil
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
	_ = shared.Until(context.Background(), 50*time.Millisecond, 10*time.Millisecond, func() (bool, error) {
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
	err = shared.Until(context.Background(), cancelWait, 50*time.Millisecond, func() (bool, error) {
		_, running, err := whoHolds(results)
		return !running, err
	})
	if err == nil {
		fmt.Fprintf(out, "%s has ended. What it had finished is in results/.\n", by.What)
	}
	if errors.Is(err, shared.ErrLate) {
		return fmt.Errorf("%s (process %d) is still running %v after it was asked to stop", by.What, by.PID, cancelWait)
	}
	return err
}
