package console

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pooler-lab/internal/setup"
	"pooler-lab/internal/topology"
)

// portOnHost is the one that Compose publishes the console on.
func portOnHost() string { return cmp.Or(os.Getenv("LAB_CONSOLE_PORT"), "8080") }

// Address is where people open the console.
func Address() string { return "http://127.0.0.1:" + portOnHost() }

// NewServeCommand returns `lab serve`.
func NewServeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Load the data where it is missing, then stay (what the container runs)",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return serve(command.Context(), command.OutOrStdout())
		},
	}
}

// serve is what the lab's container does until ctx ends. The console answers from the beginning, and says what the lab
// waits for.
func serve(ctx context.Context, out io.Writer) error {
	c := start(ctx, out)
	lab, err := setup.Start(ctx, out, c.wait)
	if err != nil {
		return err
	}
	c.watch(ctx)
	if err := lab.Ready(ctx, out); err != nil {
		return err
	}
	sayNext(out)
	<-ctx.Done()
	c.await()
	return nil
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
`, Address())
}

// start serves the console of the lab's container until ctx ends. What goes wrong with it is said, and no reason to
// end: the scripts work without it.
func start(ctx context.Context, out io.Writer) *Console {
	hosts := hostNames(portOnHost(), strings.Split(os.Getenv("LAB_CONSOLE_HOSTS"), ","))
	c := newConsole(topology.Root(), hosts, out)
	go func() {
		if err := c.serve(ctx, ":8080"); err != nil {
			c.log.Printf("it is off: %v", err)
		}
	}()
	return c
}

// wait says what the lab does before it is ready.
func (c *Console) wait(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = what
}

// watch has a console that was started watch the lab from now on.
func (c *Console) watch(ctx context.Context) {
	source, err := sourceOfLab(c.root)
	if err != nil {
		c.wait(err.Error())
		c.log.Print(err)
		return
	}
	c.begin(ctx, source)
}

// endWait is how long the console's lesson may take to put back what it has set: less than Compose's stop_grace_period.
const endWait = 13 * time.Second

// await waits until all that the console has started has ended, once its context has.
func (c *Console) await() {
	ended := make(chan struct{})
	go func() { c.running.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(endWait):
	}
}
