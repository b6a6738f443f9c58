// Package setup brings the lab into its known state. A start heals what is broken, loads the data where it is missing
// and logs in on each path; a reset brings nodes, links, settings and data back to what a start has left.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"pooler-lab/internal/fault"
	"pooler-lab/internal/server"
	"pooler-lab/internal/session"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
)

// readyFile tells `lab ready` that the data is complete. It lies in a tmpfs: a new start begins without it.
const readyFile = "/tmp/lab-ready"

// NewReadyCommand returns `lab ready`, the container's health check.
func NewReadyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "ready",
		Short: "Succeed once the data is complete and the primary answers (the container's health check)",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if _, err := os.Stat(readyFile); err != nil {
				return errors.New("the data is not complete yet")
			}
			// In the database postgres the lab's own sessions don't count as clients'.
			if err := logIn(command.Context(), topology.NodeDSN("primary"), topology.LabPassword()); err != nil {
				return fmt.Errorf("ask the primary: %w", err)
			}
			return nil
		},
	}
}

// A Lab is one that has come up.
type Lab struct {
	set   *topology.Set
	scale int // of data that is loaded
}

// Start brings the lab that has just come up into its known state, except for YugabyteDB. tell is told what it waits
// for.
func Start(ctx context.Context, out io.Writer, tell func(string)) (*Lab, error) {
	scale, err := parseScale(os.Getenv("LAB_SCALE"))
	if err != nil {
		return nil, fmt.Errorf("LAB_SCALE in .env: %w", err)
	}
	set, err := topology.Load(topology.Root())
	if err != nil {
		return nil, err
	}
	if wrong := fault.Wrong(); wrong != "" { // it has outlived the lab that broke it
		fmt.Fprintln(out, wrong)
		tell("healing what is broken")
		if err := mend(ctx, set, out); err != nil {
			return nil, err
		}
	}
	if err := loadWhereMissing(ctx, out, primary, scale, tell); err != nil {
		return nil, err
	}
	tell("logging in on each path")
	return &Lab{set, scale}, checkLogins(ctx, set)
}

// Ready has `lab ready` say that the lab is, and prepares YugabyteDB, which takes a minute or more: nothing waits for
// it.
func (l *Lab) Ready(ctx context.Context, out io.Writer) error {
	if err := os.WriteFile(readyFile, nil, 0o644); err != nil {
		return fmt.Errorf("say that the data is complete: %w", err)
	}
	reason, err := yugabyteOff(l.set)
	if err != nil {
		return err
	}
	if reason != "" {
		fmt.Fprintf(out, "YugabyteDB's paths are off: %s\n", reason)
		return nil
	}
	go startYugabyte(ctx, out, l.scale)
	return nil
}

// loadWhereMissing makes the data at scale unless it stands there complete, at whatever scale. It waits for the
// server as long as it takes: Compose starts services in order, but a restart comes at any time.
// tell is told how far it is.
func loadWhereMissing(ctx context.Context, out io.Writer, d database, scale int, tell func(string)) error {
	tell("waiting for " + d.name)
	var s *session.Session
	err := retry(ctx, out, "waiting", time.Second, func() (err error) {
		s, err = d.connect(ctx)
		return err
	})
	if err != nil {
		return err
	}
	defer s.Close()
	have, err := server.ScaleIn(ctx, s)
	if err != nil {
		return err
	}
	if have != 0 && have != scale { // someone asked for it: a restart must not throw it away
		fmt.Fprintf(out, "%s has data at scale %d, LAB_SCALE asks for %d: scripts/reset makes it anew\n", d.name, have, scale)
	}
	if have != 0 {
		return complete(ctx, s)
	}
	return d.load(ctx, s, scale, out, tell)
}

// retry calls do, with a pause between two calls, until it returns no error or ctx ends. Each tenth error is written.
func retry(ctx context.Context, out io.Writer, state string, pause time.Duration, do func() error) error {
	tries := 0
	return shared.Until(ctx, shared.Forever, pause, func() (bool, error) {
		why := do()
		if tries++; why != nil && tries%10 == 0 {
			fmt.Fprintf(out, "%s: %v\n", state, why)
		}
		return why == nil, nil
	})
}

// nobody is told how far a load is.
func nobody(string) {}

// yugabyteOff says why the lab has no YugabyteDB, "" where it has one.
func yugabyteOff(set *topology.Set) (reason string, err error) {
	p, err := set.Find("yugabyte")
	return p.Unavailable, err
}

// startYugabyte prepares YugabyteDB when it comes up; nothing else waits for it.
func startYugabyte(ctx context.Context, out io.Writer, scale int) {
	err := retry(ctx, out, "yugabyte: not ready yet", 5*time.Second, func() error {
		if err := prepareRoles(ctx); err != nil {
			return err
		}
		return loadWhereMissing(ctx, out, yugabyte, scale, nobody)
	})
	if err == nil {
		fmt.Fprintln(out, "yugabyte: ready")
	}
}
