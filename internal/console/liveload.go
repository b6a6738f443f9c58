package console

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"pooler-lab/internal/run"
)

// liveFolder is where, below results/, the live load is held as a run is held in results/. It tells other programs of
// the lab that it runs, and what it is, for as long as it does.
func liveFolder(results string) string { return filepath.Join(results, ".live") }

// holdLive tells other programs of a live load until the returned function is called.
func holdLive(results, what string) (over func(), err error) {
	if err := os.MkdirAll(liveFolder(results), 0o755); err != nil {
		return nil, err
	}
	return run.Hold(liveFolder(results), what)
}

// sharing are the commands that the live load disturbs: each says so.
var sharing = []string{"connect", "k6", "latency", "pgbench", "psql"}

// WarnOfLiveLoad says in a line that the live load runs, where the command shares the servers with it. results is the
// folder of all runs.
func WarnOfLiveLoad(c *cobra.Command, args []string, results string, notes io.Writer) {
	for c.HasParent() && c.Parent().HasParent() { // 'latency off' is of latency
		c = c.Parent()
	}
	if !slices.Contains(sharing, c.Name()) || slices.Contains(args, "--help") {
		return
	}
	if what, ok := run.UnderWay(liveFolder(results)); ok {
		fmt.Fprintf(notes, "the console's live load runs (%s) and shares the servers: stop it at %s\n", what, Address())
	}
}
