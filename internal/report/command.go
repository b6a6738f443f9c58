package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
	"pooler-lab/internal/wording"
)

// NewReportCommand makes 'lab report', which shows runs again: one as a table or as its report, several side by side.
func NewReportCommand() *cobra.Command {
	var as form
	c := &cobra.Command{
		Use:   "report [RUN]...",
		Short: "Show runs again: print the table of one, or write a page with several side by side",
		Long: "Print the table of a run again: give its folder or its run.json, or nothing for the last run.\n" +
			"Several runs of a lesson, such as a room's, make a page with a column a run.",
		Example: "  scripts/report --details\n  scripts/report results/20261121T161200Z-00-tour --html\n" +
			"  scripts/report 20261121T161200Z-02-latency 20261121T171500Z-02-latency\n" +
			"  scripts/report anna.json ben.json chris.json",
		RunE: func(c *cobra.Command, args []string) error {
			results, out := filepath.Join(topology.Root(), "results"), c.OutOrStdout()
			if (as.csv || as.details) && (as.html || len(args) > 1) {
				return fmt.Errorf("--csv and --details are for one run and go with no page")
			}
			if len(args) > 1 {
				return several(results, args, out)
			}
			r, err := chosen(results, args)
			if err != nil {
				return err
			}
			return again(results, r.Run, as, out)
		},
	}
	c.Flags().BoolVar(&as.details, "details", false, "with ratios, round trips, flags and what they mean")
	c.Flags().BoolVar(&as.csv, "csv", false,
		"comma-separated values instead: a line a repeat, a column a metric (see results/README.md)")
	c.Flags().BoolVar(&as.html, "html", false, "write the run's "+HTMLFile+" anew and say where it is")
	c.Flags().Bool("room", false, "")
	_ = c.Flags().MarkDeprecated("room", "several runs make one page, with it or without") // the flag is there
	return c
}

// shownRuns is how many runs an error lists, the newest.
const shownRuns = 5

// chosen is the run that was asked for, or the last one where none was: a folder, a run.json, or a name within results.
// It is called what its folder or its file is, without the lesson's name.
func chosen(results string, args []string) (Named, error) {
	runs, err := filepath.Glob(filepath.Join(results, "*Z-*", result.File)) // they begin with their UTC time
	switch {
	case err != nil:
		return Named{}, fmt.Errorf("list runs: %w", err)
	case len(runs) == 0 && (len(args) == 0 || !exists(args[0])):
		return Named{}, fmt.Errorf("no run in results/ yet: 'scripts/run 00-tour' makes one")
	case len(args) == 0:
		args = runs[len(runs)-1:]
	}
	folder := strings.TrimSuffix(filepath.Clean(args[0]), "/"+result.File)
	within := filepath.Join(results, filepath.Base(folder), result.File)
	for _, file := range []string{filepath.Join(args[0], result.File), args[0], within} {
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue
		}
		run, err := result.Read(file)
		if err != nil {
			return Named{}, err
		}
		name := strings.TrimSuffix(filepath.Base(folder), ".json")
		return Named{strings.TrimSuffix(name, "-"+run.Lesson.Name), run}, nil
	}
	var newest []string
	for _, run := range runs[max(0, len(runs)-shownRuns):] {
		newest = append(newest, filepath.Base(filepath.Dir(run)))
	}
	return Named{}, wording.Unknown("run", args[0], newest)
}
