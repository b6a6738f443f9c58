package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"syscall"
	"time"

	"pooler-lab/internal/generator"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
)

// A lessonProcess is a lesson that the console has started: 'lab run' as a process of its own. So 'lab cancel' ends it
// and not the console, and where the console ends the latencies are put back all the same.
type lessonProcess struct {
	lesson     string
	prediction *Prediction // nil for none
	cancel     context.CancelFunc
	before     string // the lesson's newest run when it began, "" where there was none
	said       tail
}

// execute runs it until it has ended. Once ctx ends it ends by itself: finished cells are kept, latencies put back.
func (c *lessonProcess) execute(ctx context.Context, program string) {
	command := exec.Command(program, "run", c.lesson)
	command.Stderr = &c.said
	process, err := generator.Begin(command, syscall.SIGINT, 0)
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
	if err := p.startLesson(l.Name, request.Prediction); err != nil {
		return err
	}
	return p.tellLesson(w)
}

// tellLesson answers with the lesson under way.
func (p *parts) tellLesson(w http.ResponseWriter) error {
	now, _ := p.lock.lesson()
	writeJSON(w, http.StatusOK, map[string]*Running{"lesson": now})
	return nil
}

// startLesson starts a lesson unless something measures. When it has ended all goes on as before.
func (p *parts) startLesson(name string, prediction *Prediction) error {
	until, cancel := context.WithCancel(p.until)
	c := &lessonProcess{lesson: name, prediction: prediction, cancel: cancel}
	if !p.lock.begin(c) {
		cancel()
		return p.locked()
	}
	p.checkLock()
	p.wake.beat() // probes rest
	p.running.Go(func() {
		defer cancel()
		still := func() (bool, error) { return p.load.is(LoadOff, LoadPaused), nil }
		if shared.Until(until, shared.Forever, 20*time.Millisecond, still) == nil {
			p.source.CloseIdle(until)
			c.execute(until, p.source.Lab)
		}
		p.lock.ended()
		p.checkLock()
		p.wake.beat()
	})
	return nil
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
		if err := result.Cancel(p.results(), p.log.Writer()); err != nil {
			return err
		}
		p.checkLock()
	}
	return p.tellLesson(w)
}
