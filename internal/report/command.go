package report

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"pooler-lab/internal/path"
	"pooler-lab/internal/result"
)

// NewReportCommand makes 'lab report', which prints a run's table again.
func NewReportCommand() *cobra.Command {
	var asCSV bool
	c := &cobra.Command{
		Use:   "report [RUN]",
		Short: "Print the table of a run again: its folder or its run.json, the last run where none is given",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			name, err := chosen(filepath.Join(path.Root(), "results"), args)
			if err != nil {
				return err
			}
			run, err := result.Read(name)
			if err != nil {
				return err
			}
			if asCSV {
				return CSV(c.OutOrStdout(), run)
			}
			fmt.Fprint(c.OutOrStdout(), Table(run))
			return nil
		},
	}
	c.Flags().BoolVar(&asCSV, "csv", false, "comma-separated values instead: a line a repeat")
	return c
}

// chosen is the run that was asked for: a file or folder, the name of a folder within results, or the last run.
func chosen(results string, args []string) (string, error) {
	if len(args) == 1 {
		if within := filepath.Join(results, args[0], result.File); !filepath.IsAbs(args[0]) && exists(within) {
			return within, nil
		}
		return args[0], nil
	}
	runs, err := filepath.Glob(filepath.Join(results, "*Z-*", result.File)) // they begin with their UTC time
	if err != nil {
		return "", fmt.Errorf("list runs: %w", err)
	}
	if len(runs) == 0 {
		return "", fmt.Errorf("no run in results/ yet: 'lab run 00-tour' makes one")
	}
	return runs[len(runs)-1], nil
}
