package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"pooler-lab/internal/console"
	"pooler-lab/internal/liveload"
)

// sharing are the commands that the live load disturbs: each says so.
var sharing = []string{"connect", "k6", "latency", "pgbench", "psql"}

// noteLiveLoad says in a line that the console's live load runs, where the command shares the servers with it.
func noteLiveLoad(c *cobra.Command, args []string, results string, notes io.Writer) {
	for c.HasParent() && c.Parent().HasParent() { // 'latency off' is of latency
		c = c.Parent()
	}
	if !slices.Contains(sharing, c.Name()) || slices.Contains(args, "--help") {
		return
	}
	if what, ok := liveload.Running(results); ok {
		fmt.Fprintf(notes, "the console's live load runs (%s) and shares the servers: stop it at %s\n",
			what, console.Address())
	}
}
