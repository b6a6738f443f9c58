package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"syscall"
	"time"

	"pooler-lab/internal/k6run"
	"pooler-lab/internal/run"
	"pooler-lab/internal/session"
)

// beginWait is how long a lesson may take to have a run, or to say what is wrong with it.
const beginWait = 60 * time.Second

// A lessonProcess is a lesson that the console has started: 'lab run' as a process of its own. So 'lab cancel' ends it
// and not the console, and where the console ends the latencies are put back all the same.
type lessonProcess struct {
	lesson     string
	prediction *Prediction // nil for none
	cancel     context.CancelFunc
	before     string // the lesson's newest run when it began, "" where there was none
	said       tail
	begun      chan string // is given its run's name once it has one, and closed when it has ended
}

// execute runs it until it has ended. Once ctx ends it ends by itself: finished cells are kept, latencies put back.
func (c *lessonProcess) execute(ctx context.Context, program string) {
	command := exec.Command(program, "run", c.lesson)
	command.Stderr = &c.said
	process, err := k6run.Begin(command, syscall.SIGINT, 0)
	if err != nil {
		fmt.Fprintf(&c.said, "start lesson %s: %v", c.lesson, err)
		return
	}
	select {
	case <-process.Ended(): // run.json says what became of it
	case <-ctx.Done():
		_ = process.Signal(syscall.SIGINT) // it may have ended just now
		<-process.Ended()
	}
}

// await returns the run's name once it has one, or why it has none.
func (c *lessonProcess) await(ctx context.Context) (string, error) {
	select {
	case run, ok := <-c.begun:
		if !ok {
			return "", badRequest(fmt.Errorf("lesson %s: %s", c.lesson, c.said.String()))
		}
		return run, nil
	case <-ctx.Done():
		return "", fmt.Errorf("lesson %s didn't begin in time", c.lesson)
	}
}

// runLesson starts a lesson: live load and probes stand still first.
func (p *parts) runLesson(w http.ResponseWriter, r *http.Request) error {
	l, err := p.lessonNamed(r.PathValue("name"))
	if err != nil {
		return err
	}
	if err := p.locked(); err != nil {
		return err
	}
	if l.Trouble != "" {
		return badRequest(errors.New(l.Trouble))
	}
	var request struct {
		Prediction *Prediction `json:"prediction"`
	}
	if err := readJSON(r, &request); err != nil {
		return err
	}
	if request.Prediction != nil {
		if err := checkPrediction(request.Prediction, l); err != nil {
			return badRequest(err)
		}
		request.Prediction.At = time.Now().UTC().Truncate(time.Second)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), beginWait)
	defer cancel()
	id, err := p.startLesson(ctx, l.Name, request.Prediction)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]string{"run": id})
	return nil
}

// startLesson starts a lesson unless something measures, and returns its run. When it has ended all goes on as before.
func (p *parts) startLesson(ctx context.Context, name string, prediction *Prediction) (string, error) {
	until, cancel := context.WithCancel(p.until)
	c := &lessonProcess{lesson: name, prediction: prediction, cancel: cancel, begun: make(chan string, 1)}
	if !p.lock.begin(c) {
		cancel()
		return "", p.locked()
	}
	p.checkLock()
	p.wake.beat() // probes rest
	still := func() (bool, error) { return p.load.is(LoadOff, LoadPaused), nil }
	_ = session.Until(ctx, session.Forever, 20*time.Millisecond, still)
	p.source.CloseIdle(ctx)
	p.running.Go(func() {
		defer cancel()
		c.execute(until, p.source.Lab)
		p.lock.ended()
		close(c.begun)
		p.checkLock()
		p.wake.beat()
	})
	return c.await(ctx)
}

// cancelLesson ends the lesson under way, whoever started it.
func (p *parts) cancelLesson(w http.ResponseWriter, _ *http.Request) error {
	own, ok := p.lock.cancel()
	switch {
	case !ok:
		return &httpError{http.StatusConflict, "no lesson is running: there is nothing to cancel"}
	case own != nil:
		own.cancel()
	default:
		if err := run.Cancel(p.results(), p.log.Writer()); err != nil {
			return err
		}
		p.checkLock()
	}
	now, _ := p.lock.lesson()
	writeJSON(w, http.StatusOK, map[string]*Running{"lesson": now})
	return nil
}
