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
	"strings"
	"time"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// neverEnded is the reason of a run whose folder says that it is running while nothing is.
const neverEnded = "it never ended: the lab was stopped meanwhile. " +
	"Its latencies may still be on the links: 'off' for all links takes them away"

// runName is what a run's folder is called.
var runName = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z-([0-9A-Za-z_-]+)$`)

// runFolders are those of all runs, the newest first: names begin with the time.
func runFolders(results string) ([]string, error) {
	files, err := os.ReadDir(results)
	var names []string
	for _, f := range slices.Backward(files) {
		if runName.MatchString(f.Name()) {
			names = append(names, f.Name())
		}
	}
	return names, err
}

// newestRun is the folder of a lesson's newest run, "" where it has none.
func newestRun(results, lesson string) string {
	names, _ := runFolders(results) // without results there is none
	for _, name := range names {
		if runName.FindStringSubmatch(name)[1] == lesson {
			return name
		}
	}
	return ""
}

// A runRead is what is shown of a run. Its document is large, so that is kept until its file changes.
type runRead struct {
	changed time.Time
	shown   shownRun
}

// runs are all runs, the newest first. A folder without a document isn't one.
func (p *parts) runs() (all []shownRun) {
	names, err := runFolders(p.results())
	if err != nil {
		p.log.Printf("list runs: %v", err)
	}
	for _, name := range names {
		if run, err := p.listedRun(name); err == nil {
			all = append(all, run)
		}
	}
	return all
}

// runsOf are those of a lesson that can be read.
func (p *parts) runsOf(lesson string) (all []shownRun) {
	for _, run := range p.runs() {
		if run.Lesson.Name == lesson && !run.Unreadable {
			all = append(all, run)
		}
	}
	return all
}

func (p *parts) listedRun(name string) (shownRun, error) {
	dir := filepath.Join(p.results(), name)
	info, err := os.Stat(filepath.Join(dir, result.File))
	if err != nil {
		return shownRun{}, err
	}
	p.reading.Lock()
	defer p.reading.Unlock()
	known, ok := p.read[name]
	if !ok || !known.changed.Equal(info.ModTime()) {
		known = runRead{changed: info.ModTime()}
		if run, err := result.Read(dir); err == nil {
			known.shown = shown(run, dir)
		} else {
			known.shown = unreadable(name, err)
		}
		p.read[name] = known
	}
	return p.withTrueStatus(known.shown), nil
}

// readRun reads a run by the name of its folder.
func (p *parts) readRun(name string) (*result.Run, error) {
	unknown := &httpError{http.StatusNotFound, fmt.Sprintf("there is no run %q: /runs lists all", name)}
	if !runName.MatchString(name) {
		return nil, unknown
	}
	run, err := result.Read(filepath.Join(p.results(), name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknown
	}
	return run, err
}

// unreadable is a run of which nothing is known but its folder's name, and why.
func unreadable(name string, why error) shownRun {
	s := shownRun{Unreadable: true}
	moment, lesson, _ := strings.Cut(name, "-")
	s.ID, s.Lesson.Name, s.Status, s.Reason = name, lesson, "unreadable", why.Error()
	s.Started, _ = time.Parse("20060102T150405Z", moment) // runName says that it is one
	return s
}

// shown is a run as pages show it.
func shown(run *result.Run, dir string) shownRun {
	s := shownRun{Run: *run}
	s.Cells, s.Pairs = nil, nil
	if run.Ended != nil {
		s.Took = run.Ended.Sub(run.Started)
	}
	_, err := os.Stat(filepath.Join(dir, predictionFile))
	s.Predicted = err == nil
	return s
}

// withTrueStatus takes a run that says it is running for interrupted, unless its lesson is under way.
func (p *parts) withTrueStatus(run shownRun) shownRun {
	if !run.Running() {
		return run
	}
	now, _ := p.lock.lesson()
	if now == nil || now.Name != run.Lesson.Name || now.Run != "" && now.Run != run.ID {
		run.Status, run.Reason = result.Interrupted, neverEnded
	}
	return run
}

// runsPage lists all runs.
func (p *parts) runsPage(*http.Request) (title string, data any, err error) {
	return "Runs", p.runs(), nil
}

// runPage shows one run.
func (p *parts) runPage(r *http.Request) (title string, data any, err error) {
	name := r.PathValue("name")
	run, err := p.readRun(name)
	if err != nil {
		return "", nil, err
	}
	dir := filepath.Join(p.results(), name)
	page := runPage{shownRun: p.withTrueStatus(shown(run, dir))}
	if page.Prediction, err = readPrediction(dir); err != nil {
		return "", nil, err
	}
	if page.Prediction != nil {
		for _, c := range run.Lesson.Comparisons {
			if ratio, ok := page.Prediction.Comparisons[c.Name]; ok {
				page.Guesses = append(page.Guesses, guess{c.Text, metric.RatioText(ratio)})
			}
		}
	}
	for _, other := range p.runsOf(run.Lesson.Name) {
		if other.ID != run.ID && !other.Running() {
			page.Others = append(page.Others, other)
		}
	}
	return "Run " + run.ID, page, nil
}

// outcome is the last run with what its document says of it. A lesson that had no run has said itself why.
func (p *parts) outcome(last *LastRun) *LastRun {
	if last == nil || last.Run == "" {
		return last
	}
	run, err := p.listedRun(last.Run)
	if err != nil {
		return nil // its folder is gone
	}
	told := *last
	told.Status, told.Reason = string(run.Status), run.Reason
	return &told
}
