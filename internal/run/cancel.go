package run

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
)

// NewCancelCommand makes 'lab cancel', which ends the run under way as Ctrl-C in its own terminal does. It may be
// called as often as one likes.
func NewCancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel",
		Short: "End the lesson that is running, keep its finished cells and put the latencies back",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return result.Cancel(filepath.Join(topology.Root(), "results"), c.OutOrStdout())
		},
	}
}
