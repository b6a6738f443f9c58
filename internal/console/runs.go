package console

import (
	"net/http"
	"os"
	"path/filepath"

	"pooler-lab/internal/console/api"
	"pooler-lab/internal/console/web"
	"pooler-lab/internal/result"
)

// neverEnded is the reason of a run whose folder says that it is running while nothing is.
const neverEnded = "it never ended: the lab was stopped meanwhile. " +
	"Its latencies may still be on the links: 'off' for all links takes them away"

// shownRun is a run as pages show it.
func shownRun(run *result.Run, dir string) web.Run {
	shown := web.Run{
		Name:     run.ID,
		Lesson:   run.Lesson.Name,
		Title:    run.Lesson.Title,
		Question: run.Lesson.Question,
		Started:  run.Started,
		Status:   run.Status,
		Reason:   run.Reason,
		Full:     run.Lesson.Full,
		Changed:  run.Lesson.Override.Describe(),
	}
	if run.Ended != nil {
		shown.Seconds = int(run.Ended.Sub(run.Started).Seconds())
	}
	_, err := os.Stat(filepath.Join(dir, predictionFile))
	shown.Predicted = err == nil
	return shown
}

// withTrueStatus takes a run that says it is running for interrupted, unless its lesson is under way.
func (p *parts) withTrueStatus(shown web.Run) web.Run {
	if !shown.Running() {
		return shown
	}
	running, _ := p.lessonState()
	if running == nil || running.Name != shown.Lesson || running.Run != "" && running.Run != shown.Name {
		shown.Status, shown.Reason = result.Interrupted, neverEnded
	}
	return shown
}

// runsPage lists all runs.
func (p *parts) runsPage(*http.Request) (web.Page, error) {
	runs, err := p.listRuns()
	return &web.RunsPage{Head: web.Head{Title: "Runs"}, Runs: runs}, err
}

// runPage shows one run.
func (p *parts) runPage(r *http.Request) (web.Page, error) {
	run, err := p.runDetail(r.PathValue("name"))
	if err != nil {
		return nil, err
	}
	return &web.RunPage{Head: web.Head{Title: "Run " + run.Name}, Run: *run}, nil
}

// besidePage shows two runs side by side.
func (p *parts) besidePage(r *http.Request) (web.Page, error) {
	pair, err := p.pair(r)
	if err != nil {
		return nil, err
	}
	var both [2]web.Run
	for i, named := range pair {
		both[i] = p.withTrueStatus(shownRun(named.Run, filepath.Join(p.results(), named.Run.ID)))
	}
	title := both[0].Name + " beside " + both[1].Name
	return &web.BesidePage{Head: web.Head{Title: title}, A: both[0], B: both[1]}, nil
}

// interruptedRun is the last run, if it was under way when the lab was stopped.
func (p *parts) interruptedRun() *api.LastRun {
	runs, err := p.listRuns()
	if err != nil {
		p.log.Print(err)
	}
	if len(runs) == 0 || runs[0].Reason != neverEnded {
		return nil
	}
	return &api.LastRun{Lesson: runs[0].Lesson, Run: runs[0].Name, Status: string(runs[0].Status), Reason: runs[0].Reason}
}
