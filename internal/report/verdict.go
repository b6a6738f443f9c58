package report

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"pooler-lab/internal/outcome"
	"pooler-lab/internal/topology"
)

// A verdictError is what 'lab verdict' ends with for a run that doesn't reproduce all that it was made for.
type verdictError struct {
	text string
	code int
}

func (o *verdictError) Error() string { return o.text }

// Said says that the text has been printed.
func (o *verdictError) Said() {}

// ExitCode is 1 where a finding is not reproduced, 2 where something is inconclusive.
func (o *verdictError) ExitCode() int { return o.code }

// verdicts are by what the run comes to overall.
var verdicts = map[outcome.Outcome]error{
	outcome.NotReproduced: &verdictError{"a finding is not reproduced", 1},
	outcome.Inconclusive: &verdictError{"a comparison or a finding above is inconclusive, or has no interval: the " +
		"reason stands beside it", 2},
}

// NewVerdictCommand makes 'lab verdict', which prints what a run's comparisons and findings come to.
func NewVerdictCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verdict [RUN]",
		Short: "Print a run's comparisons and findings: of the last run where none is given",
		Long: "Print what a run shows: its lesson's comparisons, and which findings of the study it reproduces.\n" +
			"The exit status is 1 where a finding is not reproduced, 2 where a comparison or a finding is\n" +
			"inconclusive or has no interval (fewer than six repeats, or twelve groups of a pair), and else\n" +
			"0. What the run left out doesn't count.",
		Example: "  scripts/verdict results/20261121T161200Z-05-balance",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := chosen(filepath.Join(topology.Root(), "results"), args)
			if err != nil {
				return err
			}
			text, overall := Verdict(r.Run)
			fmt.Fprint(c.OutOrStdout(), text)
			err = verdicts[overall]
			if err != nil { // below what it is about: the two outputs of a container have no order
				fmt.Fprintf(c.OutOrStdout(), "\n%s.\n", capital(err.Error()))
			}
			return err
		},
	}
}
