// Package serve is what the lab's container does all day: it loads the data, says what to do next, and stays. A reset
// brings data, settings and links back to the state that it has left them in.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"pooler-lab/internal/console"
	"pooler-lab/internal/fault"
	"pooler-lab/internal/server"
	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
)

// readyFile tells `lab ready` that the data is complete. It lies in a tmpfs: a new start begins without it.
const readyFile = "/tmp/lab-ready"

// NewCommand returns `lab serve`.
func NewCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Load the data where it is missing, then stay (what the container runs)",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return serve(command.Context(), command.OutOrStdout())
		},
	}
}

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
			if err := logIn(command.Context(), server.NodeDSN("primary"), os.Getenv("LAB_PASSWORD")); err != nil {
				return fmt.Errorf("ask the primary: %w", err)
			}
			return nil
		},
	}
}

func serve(ctx context.Context, out io.Writer) error {
	scale, err := parseScale(os.Getenv("LAB_SCALE"))
	if err != nil {
		return fmt.Errorf("LAB_SCALE in .env: %w", err)
	}
	page := console.Start(ctx, out) // it says what the lab waits for until it is ready
	set, err := topology.Load(topology.Root())
	if err != nil {
		return err
	}
	if wrong := fault.Wrong(); wrong != "" { // it has outlived the lab that broke it
		fmt.Fprintln(out, wrong)
		page.Waiting("healing what is broken")
		if err := mend(ctx, set, out); err != nil {
			return err
		}
	}
	if err := loadWhereMissing(ctx, out, primary, scale, page.Waiting); err != nil {
		return err
	}
	page.Waiting("logging in on each path")
	if err := checkLogins(ctx, set); err != nil {
		return err
	}
	page.Watch(ctx)
	if err := os.WriteFile(readyFile, nil, 0o644); err != nil {
		return fmt.Errorf("say that the data is complete: %w", err)
	}
	reason, err := yugabyteOff(set)
	if err != nil {
		return err
	}
	if reason != "" {
		fmt.Fprintf(out, "YugabyteDB's paths are off: %s\n", reason)
	} else {
		go serveYugabyte(ctx, out, scale)
	}
	sayNext(out)
	<-ctx.Done()
	page.Await()
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
	have, err := scaleOf(ctx, s)
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
	return session.Until(ctx, session.Forever, pause, func() (bool, error) {
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

// serveYugabyte prepares YugabyteDB when it comes up, which takes it a minute or more; nothing else waits for it.
func serveYugabyte(ctx context.Context, out io.Writer, scale int) {
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

func sayNext(out io.Writer) {
	fmt.Fprintf(out, `
The lab is up. Its console, to swap latencies and see what happens:
  %s
From a terminal:
  ./scripts/tour                              every path, with and without latency, in one table
  ./scripts/connect                           five connects on each path, phase by phase
  ./scripts/latency                           every link: latency set and round trip measured
  ./scripts/latency 10ms client-primary       add 10 ms of round trip to a link, now
  ./scripts/psql pgbouncer-transaction        psql through a path ('scripts/psql --help' lists them)
  ./scripts/compose down                      stop ('down -v' throws the data away, too)
`, console.Address())
}
