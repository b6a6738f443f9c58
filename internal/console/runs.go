package console

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"pooler-lab/internal/page"
	"pooler-lab/internal/report"
	"pooler-lab/internal/result"
)

// neverEnded is the reason of a run whose folder says that it is running while nothing is.
const neverEnded = "it never ended: the lab was stopped meanwhile"

// A RunEntry is a run in the list.
type RunEntry struct {
	Name      string    `json:"name"`
	Lesson    string    `json:"lesson"`
	Title     string    `json:"title"`
	Question  string    `json:"question"`
	Started   time.Time `json:"started"`
	Seconds   int       `json:"seconds"` // that it took, 0 where it never ended
	Status    string    `json:"status"`
	Reason    string    `json:"reason"` // it isn't finished
	Report    bool      `json:"report"`
	CSV       bool      `json:"csv"`
	Predicted bool      `json:"predicted"`
}

// entryOf is the run's.
func entryOf(run *result.Run, dir string) RunEntry {
	e := RunEntry{Name: run.ID, Lesson: run.Lesson.Name, Title: run.Lesson.Title, Question: run.Lesson.Question, Started: run.Started,
		Status: string(run.Status), Reason: run.Reason, Report: true, CSV: true} // they are made anew where they are missing
	if run.Ended != nil {
		e.Seconds = int(run.Ended.Sub(run.Started).Seconds())
	}
	_, err := os.Stat(filepath.Join(dir, predictionFile))
	e.Predicted = err == nil
	return e
}

// A shelf has read the runs of results. Their documents are large, so an entry is kept until its file changes.
type shelf struct {
	mu   sync.Mutex
	read map[string]shelved
}

type shelved struct {
	changed time.Time
	entry   RunEntry
}

// runName is what a run's folder is called.
var runName = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z-[0-9A-Za-z_-]+$`)

// runEntries lists all runs, the newest first. A folder without a readable document isn't a run.
func (p *parts) runEntries() ([]RunEntry, error) {
	folders, err := os.ReadDir(p.results())
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	entries := []RunEntry{}
	for _, f := range slices.Backward(folders) { // names begin with the time
		if !runName.MatchString(f.Name()) {
			continue
		}
		if e, err := p.runEntry(f.Name()); err == nil {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

func (p *parts) runEntry(name string) (RunEntry, error) {
	dir := filepath.Join(p.results(), name)
	info, err := os.Stat(filepath.Join(dir, result.File))
	if err != nil {
		return RunEntry{}, err
	}
	p.shelf.mu.Lock()
	defer p.shelf.mu.Unlock()
	known, ok := p.shelf.read[name]
	if !ok || !known.changed.Equal(info.ModTime()) {
		run, err := result.Read(dir)
		if err != nil {
			return RunEntry{}, err
		}
		known = shelved{info.ModTime(), entryOf(run, dir)}
		p.shelf.read[name] = known
	}
	return p.truly(known.entry), nil
}

// truly takes a run that says it is running for interrupted, unless something does measure: nothing else could be at it.
func (p *parts) truly(e RunEntry) RunEntry {
	if e.Status != string(result.Running) {
		return e
	}
	if _, measuring := p.source.UnderWay(); !measuring {
		e.Status, e.Reason = string(result.Interrupted), neverEnded
	}
	return e
}

// readRun reads a run by the name of its folder.
func (p *parts) readRun(name string) (*result.Run, error) {
	if !runName.MatchString(name) {
		return nil, &problem{http.StatusNotFound, fmt.Sprintf("there is no run %q: /runs lists all", name)}
	}
	run, err := result.Read(filepath.Join(p.results(), name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &problem{http.StatusNotFound, fmt.Sprintf("there is no run %s: /runs lists all", name)}
	}
	return run, err
}

// runList is the data of the page of all runs.
func (p *parts) runList(*http.Request) (any, error) {
	runs, err := p.runEntries()
	return map[string]any{"runs": runs}, err
}

// runPage is the data of one run's page.
func (p *parts) runPage(r *http.Request) (any, error) {
	run, err := p.runDetail(r.PathValue("name"))
	return map[string]any{"run": run}, err
}

// besidePage is the data of the page that has two runs side by side.
func (p *parts) besidePage(r *http.Request) (any, error) {
	data := map[string]any{}
	for _, which := range []string{"a", "b"} {
		run, err := p.readRun(r.PathValue(which))
		if err != nil {
			return nil, err
		}
		data[which] = p.truly(entryOf(run, filepath.Join(p.results(), run.ID)))
	}
	return data, nil
}

// beside answers with the two runs' own page.
func (p *parts) beside(w http.ResponseWriter, r *http.Request) error {
	var named []page.Named
	for _, which := range []string{"a", "b"} {
		run, err := p.readRun(r.PathValue(which))
		if err != nil {
			return err
		}
		named = append(named, page.Named{Name: strings.TrimSuffix(run.ID, "-"+run.Lesson.Name), Run: run})
	}
	text, err := page.Beside(named[0], named[1])
	if err != nil {
		return wrong(err)
	}
	show(w, text)
	return nil
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
	makers := map[string]func(*result.Run) ([]byte, error){page.File: page.Run, report.CSVFile: csvOf, result.File: nil}
	maker, ok := makers[file]
	if !ok {
		return &problem{http.StatusNotFound, fmt.Sprintf("a run has no %q: it has %s, %s and %s", file, page.File, report.CSVFile, result.File)}
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
	if file == page.File && !r.URL.Query().Has("download") {
		show(w, text)
		return nil
	}
	kind := map[string]string{page.File: "text/html; charset=utf-8", report.CSVFile: "text/csv; charset=utf-8", result.File: "application/json"}[file]
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
