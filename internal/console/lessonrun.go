package console

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"pooler-lab/internal/console/api"
	"pooler-lab/internal/run"
)

// beginWait is how long a lesson may take to have a run, or to say what is wrong with it.
const beginWait = 60 * time.Second

// A lessonRequest is what is asked of a lesson.
type lessonRequest struct {
	Prediction  *api.Prediction `json:"prediction"`
	Paths       []string        `json:"paths"`       // only these
	Experiments []string        `json:"experiments"` // only these
}

// command is 'lab run' for the request. Once ctx ends it ends by itself: finished cells are kept, latencies put back.
func (o lessonRequest) command(ctx context.Context, program, lesson string) *exec.Cmd {
	args := []string{"run", lesson}
	if len(o.Paths) > 0 {
		args = append(args, "--paths="+strings.Join(o.Paths, ","))
	}
	if len(o.Experiments) > 0 {
		args = append(args, "--experiments="+strings.Join(o.Experiments, ","))
	}
	c := exec.CommandContext(ctx, program, args...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGINT) }
	// Its own group: who interrupts the console hands one signal on. Without the console nobody would see it.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
	return c
}

// A lessonProcess is a lesson that the console has started: 'lab run' as a process of its own. So 'lab cancel' ends it
// and not the console, and where the console ends the latencies are put back all the same.
type lessonProcess struct {
	lesson     string
	prediction *api.Prediction
	log        *log.Logger
	command    *exec.Cmd
	cancel     context.CancelFunc
	said       tail
	begun      chan struct{} // closed when it has a run
	run        string        // its folder's name, from then on
	ended      chan struct{}
}

// start starts it.
func (c *lessonProcess) start() error {
	c.command.Stderr = &c.said
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // Pdeathsig comes when the thread that started a process ends
		defer runtime.UnlockOSThread()
		err := c.command.Start()
		started <- err
		if err == nil {
			_ = c.command.Wait() // run.json says what became of it
			close(c.ended)
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start lesson %s: %w", c.lesson, err)
	}
	return nil
}

// hasBegun notes its run, and keeps the prediction there. Only the first time counts.
func (c *lessonProcess) hasBegun(run, results string) {
	if c.run != "" {
		return
	}
	if c.prediction != nil {
		if err := writePrediction(c.prediction, filepath.Join(results, run)); err != nil {
			c.log.Print(err)
		}
	}
	c.run = run
	close(c.begun)
}

// await returns the run's name once it has one, or why it has none.
func (c *lessonProcess) await(ctx context.Context) (string, error) {
	select {
	case <-c.begun:
	case <-ctx.Done():
		return "", fmt.Errorf("lesson %s didn't begin in time", c.lesson)
	case <-c.ended:
		select {
		case <-c.begun:
		default:
			return "", badRequest(fmt.Errorf("lesson %s: %s", c.lesson, c.said.String()))
		}
	}
	return c.run, nil
}

// runLesson starts a lesson: live load and probes stand still first.
func (p *parts) runLesson(w http.ResponseWriter, r *http.Request) error {
	shown, l, err := p.lessonNamed(r.PathValue("name"))
	if err != nil {
		return err
	}
	if err := p.locked(); err != nil {
		return err
	}
	if l == nil {
		return badRequest(errors.New(shown.Trouble))
	}
	var order lessonRequest
	if err := readJSON(r, &order); err != nil {
		return err
	}
	if order.Prediction != nil {
		if err := checkPrediction(order.Prediction, l, shown.Paths); err != nil {
			return badRequest(err)
		}
		order.Prediction.At = time.Now().UTC().Truncate(time.Second)
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

// startLesson starts a lesson unless something measures, and returns its run. When it has ended all goes on as before.
func (p *parts) startLesson(ctx context.Context, name string, order lessonRequest) (string, error) {
	until, stop := context.WithCancel(context.Background())
	c := &lessonProcess{
		lesson:     name,
		prediction: order.Prediction,
		log:        p.log,
		command:    order.command(until, p.source.Lab, name),
		cancel:     stop,
		begun:      make(chan struct{}),
		ended:      make(chan struct{}),
	}
	if !p.lock.begin(c) {
		stop()
		return "", p.locked()
	}
	p.checkLock()
	p.wake.beat() // probes rest
	for !p.load.is(api.LoadOff, api.LoadPaused) && ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
	}
	p.source.CloseIdle(ctx)
	if err := c.start(); err != nil {
		stop()
		p.lock.ended()
		return "", err
	}
	p.running.Go(func() {
		select {
		case <-p.closing:
			c.cancel()
			<-c.ended
		case <-c.ended:
		}
		stop()
		p.lock.ended()
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
	writeJSON(w, http.StatusOK, map[string]*api.Running{"lesson": now})
	return nil
}
