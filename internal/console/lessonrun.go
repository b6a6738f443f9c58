package console

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"pooler-lab/internal/console/api"
	"pooler-lab/internal/run"
	"pooler-lab/internal/session"
)

// A lessonRequest is what is asked of a lesson.
type lessonRequest struct {
	Prediction  *api.Prediction `json:"prediction"`
	Paths       []string        `json:"paths"`       // only these
	Experiments []string        `json:"experiments"` // only these
}

// flags are the order's in the words of 'lab run'.
func (o lessonRequest) flags() (flags []string) {
	if len(o.Paths) > 0 {
		flags = append(flags, "--paths="+strings.Join(o.Paths, ","))
	}
	if len(o.Experiments) > 0 {
		flags = append(flags, "--experiments="+strings.Join(o.Experiments, ","))
	}
	return flags
}

// runLesson starts a lesson: live load and probes stand still first.
func (p *parts) runLesson(w http.ResponseWriter, r *http.Request) error {
	entry, l, err := p.lessonNamed(r.PathValue("name"))
	if err != nil {
		return err
	}
	if err := p.locked(); err != nil {
		return err
	}
	if l == nil {
		return badRequest(errors.New(entry.Trouble))
	}
	var order lessonRequest
	if err := readJSON(r, &order); err != nil {
		return err
	}
	if order.Prediction != nil {
		if err := checkPrediction(order.Prediction, l, entry.Paths); err != nil {
			return badRequest(err)
		}
		order.Prediction.At = time.Now().UTC().Truncate(time.Second)
	}
	if !p.lock.begin(l.Name) {
		return &httpError{http.StatusLocked, p.lock.text()}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), beginWait)
	defer cancel()
	id, err := p.startLesson(ctx, l.Name, order)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]string{"run": id})
	return nil
}

// startLesson starts the lesson that the lock is held for, and returns its run. When it has ended all goes on as
// before.
func (p *parts) startLesson(ctx context.Context, name string, order lessonRequest) (string, error) {
	p.checkLock()
	p.wake.beat() // probes rest
	_ = session.Until(ctx, session.Forever, 20*time.Millisecond, func() (bool, error) { return p.load.still(), nil })
	p.source.CloseIdle(ctx)
	c, err := begin(p.source.Lab, p.results(), name, order.flags(), order.Prediction, p.log)
	if err != nil {
		p.lock.end()
		return "", err
	}
	p.mu.Lock()
	p.lessonProcess = c
	p.mu.Unlock()
	p.running.Go(func() {
		select {
		case <-p.closing:
			c.cancel()
			<-c.ended
		case <-c.ended:
		}
		p.mu.Lock()
		p.lessonProcess, p.lastRun = nil, c.outcome()
		p.mu.Unlock()
		p.lock.end()
		p.checkLock()
		p.wake.beat()
	})
	return c.await(ctx)
}

// lessonState is how far the lesson under way is, nil where none is, and what became of the last one.
func (p *parts) lessonState() (*api.Running, *api.LastRun) {
	elsewhere := p.terminalLesson()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.lessonProcess != nil:
		return p.lessonProcess.state(), p.lastRun
	case elsewhere != nil:
		p.terminalRun = elsewhere.Run
	}
	return elsewhere, p.lastRun
}

// terminalLesson is the lesson that a terminal runs, nil where none does.
func (p *parts) terminalLesson() *api.Running {
	what, ok := p.source.UnderWay()
	name, isLesson := strings.CutPrefix(what, lessonPrefix)
	if !ok || !isLesson {
		return nil
	}
	step, ok := p.source.Step()
	if !ok || !strings.HasSuffix(step.Run, "-"+name) { // it has said nothing yet
		step = run.Step{}
	}
	r := runningAt(name, step)
	r.Elsewhere = true
	return r
}

// endTerminalRun notes what became of a terminal's lesson, once nothing measures any more.
func (p *parts) endTerminalRun() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminalRun == "" {
		return
	}
	_, lesson, _ := strings.Cut(p.terminalRun, "-")
	p.lastRun = outcomeOf(p.results(), lesson, p.terminalRun)
	p.terminalRun = ""
}

// cancelLesson ends the lesson under way, whoever started it.
func (p *parts) cancelLesson(w http.ResponseWriter, _ *http.Request) error {
	p.mu.Lock()
	c := p.lessonProcess
	p.mu.Unlock()
	if c != nil {
		c.cancel()
		writeJSON(w, http.StatusOK, map[string]*api.Running{"lesson": c.state()})
		return nil
	}
	what, ok := p.source.UnderWay()
	if !ok || !strings.HasPrefix(what, lessonPrefix) {
		return &httpError{http.StatusConflict, "no lesson is running: there is nothing to cancel"}
	}
	if err := run.Cancel(p.results(), p.log.Writer()); err != nil {
		return err
	}
	p.checkLock()
	writeJSON(w, http.StatusOK, map[string]*api.Running{"lesson": nil})
	return nil
}
