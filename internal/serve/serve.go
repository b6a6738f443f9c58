// Package serve is what the lab's container does all day: it loads the data, says what to do next, and stays.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"pooler-lab/internal/console"
	"pooler-lab/internal/data"
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
			ctx, cancel := context.WithTimeout(command.Context(), 5*time.Second)
			defer cancel()
			return ask(ctx)
		},
	}
}

// ask queries the primary's database postgres, where the lab's own sessions don't count as clients'.
func ask(ctx context.Context) error {
	database, err := data.Primary()
	if err != nil {
		return err
	}
	database.Config.Database = "postgres"
	conn, err := database.Connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "SELECT 1"); err != nil {
		return fmt.Errorf("ask the primary: %w", err)
	}
	return nil
}

func serve(ctx context.Context, out io.Writer) error {
	scale, err := data.WantedScale()
	if err != nil {
		return err
	}
	page := console.Start(ctx, out) // it says what the lab waits for until it is ready
	set, err := topology.Load(topology.Root())
	if err != nil {
		return err
	}
	primary, err := data.Primary()
	if err != nil {
		return err
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
	yugabyte, err := set.Find("yugabyte")
	if err != nil {
		return err
	}
	if reason := yugabyte.Unavailable(); reason != "" {
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
func loadWhereMissing(ctx context.Context, out io.Writer, database data.Database, scale int, tell func(string)) error {
	tell("waiting for " + database.Name)
	conn, err := wait(ctx, out, database)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	have, err := data.Scale(ctx, conn)
	if err != nil {
		return err
	}
	if have != 0 && have != scale { // someone asked for it: a restart must not throw it away
		fmt.Fprintf(out, "%s has data at scale %d, LAB_SCALE asks for %d: scripts/reset makes it anew\n", database.Name, have, scale)
	}
	if have != 0 {
		return data.Complete(ctx, conn)
	}
	bar := data.NewBar(out, false, fmt.Sprintf("%s: loading pgbench's tables at scale %d", database.Name, scale))
	return database.Load(ctx, conn, scale, func(done float64) {
		bar.Show(done)
		tell(fmt.Sprintf("%s: loading pgbench's tables at scale %d, %.0f %% done", database.Name, scale, 100*done))
	})
}

func wait(ctx context.Context, out io.Writer, database data.Database) (*pgx.Conn, error) {
	for tries := 1; ; tries++ {
		conn, err := database.Connect(ctx)
		if err == nil {
			return conn, nil
		}
		if tries%10 == 0 {
			fmt.Fprintf(out, "waiting: %v\n", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// serveYugabyte prepares YugabyteDB when it comes up, which takes it a minute or more; nothing else waits for it.
func serveYugabyte(ctx context.Context, out io.Writer, scale int) {
	for tries := 1; ctx.Err() == nil; tries++ {
		err := prepareYugabyte(ctx, out, scale)
		if err == nil {
			fmt.Fprintln(out, "yugabyte: ready")
			return
		}
		if tries%12 == 0 {
			fmt.Fprintf(out, "yugabyte: not ready yet: %v\n", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Second):
		}
	}
}

func prepareYugabyte(ctx context.Context, out io.Writer, scale int) error {
	if err := data.PrepareYugabyte(ctx); err != nil {
		return err
	}
	database, err := data.Yugabyte()
	if err != nil {
		return err
	}
	return loadWhereMissing(ctx, out, database, scale, func(string) {})
}

func sayNext(out io.Writer) {
	fmt.Fprintf(out, `
The lab is up. Its console, to swap latencies and see what happens:
  %s
From any other terminal:
  ./scripts/tour                              every path, with and without latency, in one table
  ./scripts/connect                           five connects on each path, phase by phase
  ./scripts/latency                           every link: latency set and round trip measured
  ./scripts/latency 10ms client-primary       add 10 ms of round trip to a link, now
  ./scripts/psql pgbouncer-transaction        psql through a path ('scripts/psql --help' lists them)
  ./scripts/compose down                      stop ('down -v' throws the data away, too)
`, console.Address())
}
