package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
)

// A form is what a run is shown as.
type form struct{ csv, html, details bool }

// again shows one run: as its table, which says where the report is, as comma-separated values, or as its report.
func again(results string, run *result.Run, as form, out io.Writer) error {
	file := filepath.Join(results, run.ID, HTMLFile)
	if !exists(filepath.Dir(file)) { // a run from elsewhere
		file = filepath.Join(results, run.ID+"-"+HTMLFile)
	}
	switch {
	case as.csv:
		return CSV(out, run)
	case as.html:
		text, err := HTML(run)
		if err != nil {
			return err
		}
		return written(file, text, out)
	}
	where := "--html writes its report"
	if exists(file) {
		where = "Report: " + shownFile(file)
	}
	fmt.Fprintf(out, "%s%s\n", Text(run, as.details), where)
	return nil
}

// several puts runs side by side on one page. Pages of other runs that would have the same name stay, and so do the
// runs' own names where two of them have the same: the later one has a number.
func several(results string, args []string, out io.Writer) error {
	var runs []Named
	seen := map[string]int{}
	for _, arg := range args {
		r, err := chosen(results, []string{arg})
		if err != nil {
			return err
		}
		if seen[r.Name]++; seen[r.Name] > 1 {
			r.Name += fmt.Sprintf("-%d", seen[r.Name])
		}
		runs = append(runs, r)
	}
	text, err := Runs(runs...)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("runs-%s-%s-%s", runs[0].Run.Lesson.Name, runs[0].Name, runs[len(runs)-1].Name)
	file := filepath.Join(results, name+".html")
	for n := 2; ; n++ {
		if there, err := os.ReadFile(file); err != nil || bytes.Equal(there, text) {
			return written(file, text, out)
		}
		file = filepath.Join(results, fmt.Sprintf("%s-%d.html", name, n))
	}
}

// written writes a page and says where it is.
func written(file string, text []byte, out io.Writer) error {
	if err := shared.WriteFile(file, text); err != nil {
		return err
	}
	fmt.Fprintln(out, shownFile(file))
	return nil
}

// shownFile is a file of the results as people see it on the host.
func shownFile(file string) string {
	i := strings.LastIndex(file, "/results/")
	return file[i+1:]
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
