package console

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"pooler-lab/internal/report"
	"pooler-lab/internal/result"
)

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
	show(w, text)
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

// show answers with a report: it may run nothing, and brings its style along.
func show(w http.ResponseWriter, text []byte) {
	w.Header().Set("Content-Security-Policy", reportPolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(text) // whoever asked has gone
}

// runFile answers with a file of a run; report and CSV are made where the run left none, since it was interrupted.
func (p *parts) runFile(w http.ResponseWriter, r *http.Request) error {
	name, file := r.PathValue("name"), r.PathValue("file")
	makers := map[string]func(*result.Run) ([]byte, error){
		report.HTMLFile: report.HTML,
		report.CSVFile:  csvOf,
		result.File:     nil,
	}
	maker, ok := makers[file]
	if !ok {
		return &httpError{
			http.StatusNotFound,
			fmt.Sprintf("a run has no %q: it has %s, %s and %s", file, report.HTMLFile, report.CSVFile, result.File),
		}
	}
	run, err := p.readRun(name)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(p.results(), name, file))
	if errors.Is(err, fs.ErrNotExist) && maker != nil {
		text, err = maker(run)
	}
	if err != nil {
		return fmt.Errorf("read %s of run %s: %w", file, name, err)
	}
	if file == report.HTMLFile && !r.URL.Query().Has("download") {
		show(w, text)
		return nil
	}
	kind := map[string]string{
		report.HTMLFile: "text/html; charset=utf-8",
		report.CSVFile:  "text/csv; charset=utf-8",
		result.File:     "application/json",
	}[file]
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-%s"`, name, file))
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(text) // whoever asked has gone
	return nil
}

func csvOf(run *result.Run) ([]byte, error) {
	var text bytes.Buffer
	err := report.CSV(&text, run)
	return text.Bytes(), err
}
