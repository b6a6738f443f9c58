// Command lab is the lab's own program: it runs in the lab's container, and the scripts of the host call it there.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"pooler-lab/internal/console"
	"pooler-lab/internal/fault"
	"pooler-lab/internal/link"
	"pooler-lab/internal/report"
	"pooler-lab/internal/result"
	runner "pooler-lab/internal/run"
	"pooler-lab/internal/selftest"
	"pooler-lab/internal/setup"
	"pooler-lab/internal/tool"
	"pooler-lab/internal/topology"
)

func main() {
	callWithoutProxy()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	endWithCaller(stop)
	if err := run(ctx); err != nil {
		var said interface{ Said() }
		if !errors.As(err, &said) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(exitCode(ctx, err))
	}
}

// endWithCaller calls end once the script that called this program has ended, however it did: it holds this program's
// standard input open, and there is nothing to read.
func endWithCaller(end func()) {
	if os.Getenv("LAB_TIED") == "" {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // an error is an end, too
		end()
	}()
}

// callWithoutProxy keeps this program's own requests from a proxy that Docker's configuration, or a shell, has put into
// the environment: it calls the lab's services and nothing else. What it starts, such as k6, has the proxy still.
func callWithoutProxy() { http.DefaultTransport.(*http.Transport).Proxy = nil }

// errInterrupted is what a command that a signal ended says where it knows no better.
var errInterrupted = errors.New("interrupted")

func run(ctx context.Context) error {
	command, err := newRoot().ExecuteContextC(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errInterrupted
	}
	if err != nil {
		return fmt.Errorf("%s: %w", command.CommandPath(), err)
	}
	return nil
}

// newRoot returns the program's command with all others below it.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:               "lab",
		Short:             "What does the thing between your application and PostgreSQL do to it, at the latency you choose?",
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(c *cobra.Command, args []string) error {
			console.WarnOfLiveLoad(c, args, filepath.Join(topology.Root(), "results"), os.Stderr)
			return becomeOwner()
		},
	}
	showAsTyped(root)
	root.SetFlagErrorFunc(explainFlag)
	root.AddCommand(
		console.NewServeCommand(),
		setup.NewReadyCommand(),
		topology.NewCommand(),
		link.NewCommand(underWay),
		fault.NewCommand(underWay),
		tool.NewConnectCommand(underWay),
		tool.NewPsqlCommand(),
		tool.NewPgbenchCommand(underWay),
		tool.NewK6Command(underWay),
		setup.NewResetCommand(),
		runner.NewRunCommand(),
		runner.NewCancelCommand(),
		report.NewReportCommand(),
		report.NewVerdictCommand(),
		selftest.NewCommand(runner.Lesson),
	)
	return root
}

// underWay says what is measuring just now.
func underWay() (what string, ok bool) {
	return result.UnderWay(filepath.Join(topology.Root(), "results"))
}

// interrupted is the exit code of what a signal ended, as a shell has it.
const interrupted = 128 + int(syscall.SIGINT)

// exitCode is the one that err asks for, else that of what was interrupted, else 1.
func exitCode(ctx context.Context, err error) int {
	var asks interface{ ExitCode() int }
	switch {
	case errors.As(err, &asks):
		return asks.ExitCode()
	case ctx.Err() != nil:
		return interrupted
	}
	return 1
}

// becomeOwner gives up root for the owner of the folder that the caller stands in, or else of results/, so that nothing
// is left there that its owner can't delete.
func becomeOwner() error {
	for _, folder := range []string{".", filepath.Join(topology.Root(), "results")} {
		if err := dropTo(folder); err != nil {
			return err
		}
	}
	// Root's home is out of reach now, and psql and k6 stumble over settings that they may not read.
	return os.Setenv("HOME", os.TempDir())
}
