package report

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
)

// A verdictError is a verdict on a whole run that isn't all well.
type verdictError struct {
	text string
	code int
}

func (o *verdictError) Error() string { return o.text }

// ExitCode is 1 where a shape is not held, 2 where something could not be said.
func (o *verdictError) ExitCode() int { return o.code }

var outcomes = map[string]error{
	outcome.NotHeld: &verdictError{"a shape is not held", 1},
	outcome.CantSay: &verdictError{"not everything could be said", 2},
}

// NewVerdictCommand makes 'lab verdict', which says what a run shows of what its lesson claims.
func NewVerdictCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verdict [RUN]",
		Short: "Say what a run shows of what its lesson claims: the last run where none is given",
		Long: "Say what a run shows of what its lesson claims: its headlines, and whether the shapes of the study that it asks again hold.\n" +
			"The exit status is 0 where all could be said and all shapes hold, 1 where a shape is not held, 2 where something can't be said.",
		Example: "  scripts/verdict results/20261121T161200Z-05-balance",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			name, err := chosen(filepath.Join(topology.Root(), "results"), args)
			if err != nil {
				return err
			}
			run, err := result.Read(name)
			if err != nil {
				return err
			}
			all := outcome.All(run)
			fmt.Fprint(c.OutOrStdout(), Verdict(run, all))
			return outcomes[all.Outcome()]
		},
	}
}
