package report

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"pooler-lab/internal/path"
	"pooler-lab/internal/result"
)

// NewReportCommand makes 'lab report', which prints a run's table again.
func NewReportCommand() *cobra.Command {
	var asCSV bool
	c := &cobra.Command{
		Use:     "report [RUN]",
		Short:   "Print the table of a run again: its folder or its run.json, the last run where none is given",
		Example: "  scripts/report\n  scripts/report results/20261121T161200Z-00-tour --csv",
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

// shownRuns is how many runs an error lists.
const shownRuns = 5

// chosen is the run that was asked for, or the last one where none was. A path of the host means the run of that name
// within results: the host's own folders are out of reach here.
func chosen(results string, args []string) (string, error) {
	runs, err := filepath.Glob(filepath.Join(results, "*Z-*", result.File)) // they begin with their UTC time
	if err != nil {
		return "", fmt.Errorf("list runs: %w", err)
	}
	switch {
	case len(args) == 0 && len(runs) > 0:
		return runs[len(runs)-1], nil
	case len(args) == 0:
		return "", fmt.Errorf("no run in results/ yet: 'scripts/run 00-tour' makes one")
	}
	folder := filepath.Clean(args[0])
	if filepath.Base(folder) == result.File {
		folder = filepath.Dir(folder)
	}
	if within := filepath.Join(results, filepath.Base(folder), result.File); exists(within) {
		return within, nil
	}
	if exists(args[0]) {
		return args[0], nil
	}
	return "", unknown(args[0], runs)
}

// unknown is the error for a run that isn't there: it lists the newest that are.
func unknown(name string, runs []string) error {
	if len(runs) == 0 {
		return fmt.Errorf("there is no run %q, nor any other in results/ yet: 'scripts/run 00-tour' makes one", name)
	}
	slices.Reverse(runs)
	text := ""
	for _, r := range runs[:min(len(runs), shownRuns)] {
		text += "\n  " + filepath.Base(filepath.Dir(r))
	}
	return fmt.Errorf("there is no run %q in results/; the newest are%s", name, text)
}
