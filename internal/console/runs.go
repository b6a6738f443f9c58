package console

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"pooler-lab/internal/result"
)

// neverEnded is the reason of a run whose folder says that it is running while nothing is.
const neverEnded = "it never ended: the lab was stopped meanwhile. Its latencies may still be on the links: 'off' for all links takes them away"

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
	Full      bool      `json:"full"`    // in the lesson's full size
	Changed   string    `json:"changed"` // what of it was not as the lesson has it
}

// entryOf is the run's.
func entryOf(run *result.Run, dir string) RunEntry {
	e := RunEntry{Name: run.ID, Lesson: run.Lesson.Name, Title: run.Lesson.Title, Question: run.Lesson.Question, Started: run.Started,
		Status: string(run.Status), Reason: run.Reason, Report: true, CSV: true, // they are made anew where they are missing
		Full: run.Lesson.Full, Changed: run.Lesson.Override.Describe()}
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

// truly takes a run that says it is running for interrupted, unless its lesson is under way.
func (p *parts) truly(e RunEntry) RunEntry {
	if e.Status != string(result.Running) {
		return e
	}
	what, _ := p.source.UnderWay()
	own, _ := p.lessonState()
	if what != lessonPrefix+e.Lesson || own != nil && own.Run != e.Name {
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
func (p *parts) runList(*http.Request) (title string, data any, err error) {
	runs, err := p.runEntries()
	return "Runs", map[string]any{"runs": runs}, err
}

// runPage is the data of one run's page.
func (p *parts) runPage(r *http.Request) (title string, data any, err error) {
	run, err := p.runDetail(r.PathValue("name"))
	return "Run " + r.PathValue("name"), map[string]any{"run": run}, err
}

// besidePage is the data of the page that has two runs side by side.
func (p *parts) besidePage(r *http.Request) (title string, data any, err error) {
	pair, err := p.pair(r)
	if err != nil {
		return "", nil, err
	}
	both := map[string]RunEntry{}
	for i, which := range []string{"a", "b"} {
		both[which] = p.truly(entryOf(pair[i].Run, filepath.Join(p.results(), pair[i].Run.ID)))
	}
	return both["a"].Name + " beside " + both["b"].Name, both, nil
}

// leftBehind is the last run, if it was under way when the lab was stopped.
func (p *parts) leftBehind() *LastRun {
	runs, err := p.runEntries()
	if err != nil {
		p.log.Print(err)
	}
	if len(runs) == 0 || runs[0].Reason != neverEnded {
		return nil
	}
	return &LastRun{Lesson: runs[0].Lesson, Run: runs[0].Name, Status: runs[0].Status, Reason: runs[0].Reason}
}
