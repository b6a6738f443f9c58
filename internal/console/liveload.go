package console

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"pooler-lab/internal/result"
)

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
	if what, ok := result.LiveLoad(results); ok {
		fmt.Fprintf(notes, "the console's live load runs (%s) and shares the servers: stop it at %s\n", what, Address())
	}
}
