package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
)

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
