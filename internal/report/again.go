package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"pooler-lab/internal/result"
)

// A form is what a run is shown as.
type form struct{ csv, html, details bool }

// again shows one run: as its table, which says where the report is, as comma-separated values, or as its report.
func again(results, name string, as form, out io.Writer) error {
	run, err := result.Read(name)
	if err != nil {
		return err
	}
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

// several puts runs side by side on one page.
func several(results string, args []string, out io.Writer) error {
	var runs []Named
	for _, arg := range args {
		name, err := chosen(results, []string{arg})
		if err != nil {
			return err
		}
		run, err := result.Read(name)
		if err != nil {
			return err
		}
		runs = append(runs, Named{Name: label(name, run), Run: run})
	}
	text, err := Runs(runs...)
	if err != nil {
		return err
	}
	last := runs[len(runs)-1].Name
	name := fmt.Sprintf("runs-%s-%s-%s.html", runs[0].Run.Lesson.Name, runs[0].Name, last)
	return written(filepath.Join(results, name), text, out)
}

// label is what a page calls a run: its file's or folder's name, without the lesson's.
func label(name string, run *result.Run) string {
	if filepath.Base(name) == result.File {
		name = filepath.Dir(name)
	}
	name = strings.TrimSuffix(filepath.Base(name), ".json")
	return strings.TrimSuffix(name, "-"+run.Lesson.Name)
}

// written writes a page and says where it is.
func written(file string, text []byte, out io.Writer) error {
	if err := result.WriteFile(file, text); err != nil {
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
