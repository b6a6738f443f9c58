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

	"pooler-lab/internal/console/web"
	"pooler-lab/internal/result"
)

// A runCache has read the runs of results. Their documents are large, so what is shown of one is kept until its file
// changes.
type runCache struct {
	mu   sync.Mutex
	read map[string]runRead
}

type runRead struct {
	changed time.Time
	shown   web.Run
}

// runName is what a run's folder is called.
var runName = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z-[0-9A-Za-z_-]+$`)

// listRuns lists all runs, the newest first. A folder without a readable document isn't a run.
func (p *parts) listRuns() ([]web.Run, error) {
	folders, err := os.ReadDir(p.results())
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var all []web.Run
	for _, f := range slices.Backward(folders) { // names begin with the time
		if !runName.MatchString(f.Name()) {
			continue
		}
		if run, err := p.listedRun(f.Name()); err == nil {
			all = append(all, run)
		}
	}
	return all, nil
}

func (p *parts) listedRun(name string) (web.Run, error) {
	dir := filepath.Join(p.results(), name)
	info, err := os.Stat(filepath.Join(dir, result.File))
	if err != nil {
		return web.Run{}, err
	}
	p.runs.mu.Lock()
	defer p.runs.mu.Unlock()
	known, ok := p.runs.read[name]
	if !ok || !known.changed.Equal(info.ModTime()) {
		run, err := result.Read(dir)
		if err != nil {
			return web.Run{}, err
		}
		known = runRead{info.ModTime(), shownRun(run, dir)}
		p.runs.read[name] = known
	}
	return p.withTrueStatus(known.shown), nil
}

// readRun reads a run by the name of its folder.
func (p *parts) readRun(name string) (*result.Run, error) {
	if !runName.MatchString(name) {
		return nil, &httpError{http.StatusNotFound, fmt.Sprintf("there is no run %q: /runs lists all", name)}
	}
	run, err := result.Read(filepath.Join(p.results(), name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &httpError{http.StatusNotFound, fmt.Sprintf("there is no run %s: /runs lists all", name)}
	}
	return run, err
}
