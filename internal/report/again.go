package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"pooler-lab/internal/htmlreport"
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
	file := filepath.Join(results, run.ID, htmlreport.File)
	if !exists(filepath.Dir(file)) { // a run from elsewhere
		file = filepath.Join(results, run.ID+"-"+htmlreport.File)
	}
	switch {
	case as.csv:
		return CSV(out, run)
	case as.html:
		text, err := htmlreport.Run(run)
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

// several puts runs side by side: two in all detail, more or a room's as ratios and findings.
func several(results string, args []string, room bool, out io.Writer) error {
	if len(args) < 2 {
		return fmt.Errorf("give two runs or more to put side by side")
	}
	var runs []htmlreport.Named
	for _, arg := range args {
		name, err := chosen(results, []string{arg})
		if err != nil {
			return err
		}
		run, err := result.Read(name)
		if err != nil {
			return err
		}
		runs = append(runs, htmlreport.Named{Name: label(name, run), Run: run})
	}
	lesson := runs[0].Run.Lesson.Name
	if room || len(runs) > 2 {
		text, err := htmlreport.Room(runs)
		if err != nil {
			return err
		}
		return written(filepath.Join(results, fmt.Sprintf("room-%s-%d.html", lesson, len(runs))), text, out)
	}
	text, err := htmlreport.Beside(runs[0], runs[1])
	if err != nil {
		return err
	}
	name := fmt.Sprintf("beside-%s-%s-%s.html", lesson, runs[0].Name, runs[1].Name)
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
