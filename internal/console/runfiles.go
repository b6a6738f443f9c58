package console

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"pooler-lab/internal/report"
	"pooler-lab/internal/result"
)

// besidePage shows two runs side by side.
func (p *parts) besidePage(r *http.Request) (title string, data any, err error) {
	pair, err := p.pair(r)
	if err != nil {
		return "", nil, err
	}
	names := [2]string{pair[0].Run.ID, pair[1].Run.ID}
	return names[0] + " beside " + names[1], names, nil
}

// beside answers with the two runs' own page.
func (p *parts) beside(w http.ResponseWriter, r *http.Request) error {
	pair, err := p.pair(r)
	if err != nil {
		return err
	}
	text, err := report.Runs(pair...)
	if err != nil {
		return err
	}
	showReport(w, text)
	return nil
}

// pair reads the two runs that an address names, which must be of one lesson.
func (p *parts) pair(r *http.Request) (pair []report.Named, err error) {
	for _, which := range []string{"a", "b"} {
		run, err := p.readRun(r.PathValue(which))
		if err != nil {
			return nil, err
		}
		pair = append(pair, report.Named{Name: strings.TrimSuffix(run.ID, "-"+run.Lesson.Name), Run: run})
	}
	return pair, badRequest(report.OneLesson(pair...))
}

// showReport answers with a report: it may run nothing, and brings its style along.
func showReport(w http.ResponseWriter, text []byte) {
	w.Header().Set("Content-Security-Policy", reportPolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text) // whoever asked has gone
}

// runFile answers with a file of a run. Report and CSV are made anew from run.json: a run that goes on, or was
// interrupted, has left none.
func (p *parts) runFile(w http.ResponseWriter, r *http.Request) error {
	name, file := r.PathValue("name"), r.PathValue("file")
	run, err := p.readRun(name)
	if err != nil {
		return err
	}
	attachment := fmt.Sprintf(`attachment; filename="%s-%s"`, name, file)
	w.Header().Set("Cache-Control", "no-cache")
	switch file {
	case report.HTMLFile:
		text, err := report.HTML(run)
		if err != nil {
			return err
		}
		showReport(w, text)
	case report.CSVFile:
		var text bytes.Buffer
		if err := report.CSV(&text, run); err != nil {
			return err
		}
		w.Header().Set("Content-Disposition", attachment)
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		_, _ = text.WriteTo(w) // whoever asked has gone
	case result.File:
		w.Header().Set("Content-Disposition", attachment)
		http.ServeFile(w, r, filepath.Join(p.results(), name, file))
	default:
		text := fmt.Sprintf("a run has no %q: it has %s, %s and %s", file, report.HTMLFile, report.CSVFile, result.File)
		return &httpError{http.StatusNotFound, text}
	}
	return nil
}
