package report

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"pooler-lab/internal/claim"
	"pooler-lab/internal/path"
	"pooler-lab/internal/result"
)

// An outcome is a verdict on a whole run that isn't all well.
type outcome struct {
	text string
	code int
}

func (o *outcome) Error() string { return o.text }

// ExitCode is 1 where a shape is not held, 2 where something could not be said.
func (o *outcome) ExitCode() int { return o.code }

var outcomes = map[string]error{
	claim.NotHeld: &outcome{"a shape is not held", 1},
	claim.CantSay: &outcome{"not everything could be said", 2},
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
			name, err := chosen(filepath.Join(path.Root(), "results"), args)
			if err != nil {
				return err
			}
			run, err := result.Read(name)
			if err != nil {
				return err
			}
			all := claim.All(run)
			fmt.Fprint(c.OutOrStdout(), Verdict(run, all))
			return outcomes[all.Outcome()]
		},
	}
}
