package console

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"pooler-lab/internal/result"
	"pooler-lab/internal/run"
)

// beginWait is how long a lesson may take to say which run it is, or what is wrong with it.
const beginWait = 60 * time.Second

// A course is a lesson under way that the console has started: 'lab run' as a process of its own, so that 'lab cancel'
// ends it and not the console, and a console that ends doesn't take the latencies it has set with it.
type course struct {
	lesson     string
	prediction *Prediction
	results    string
	log        *log.Logger
	command    *exec.Cmd
	begun      chan struct{} // closed when it has a run
	ended      chan struct{}
	said       tail // what it says beside its steps

	mu        sync.Mutex
	step      run.Step
	cancelled bool
}

// begin starts 'lab run' for a lesson.
func begin(program, results, lesson string, more []string, prediction *Prediction, log *log.Logger) (*course, error) {
	c := &course{lesson: lesson, prediction: prediction, results: results, log: log, begun: make(chan struct{}), ended: make(chan struct{})}
	c.command = exec.Command(program, append([]string{"run", "--steps"}, append(more, lesson)...)...)
	c.command.Env = os.Environ()
	// Its own group: who interrupts the console hands one signal on. Without the console nobody would see it.
	c.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
	steps, err := c.command.StderrPipe()
	if err != nil {
		return nil, fmt.Errorf("start lesson %s: %w", lesson, err)
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // Pdeathsig comes when the thread that started a process ends
		defer runtime.UnlockOSThread()
		err := c.command.Start()
		started <- err
		if err != nil {
			return
		}
		lines := bufio.NewScanner(steps)
		for lines.Scan() {
			c.take(lines.Bytes())
		}
		_ = c.command.Wait() // run.json says what became of it
		close(c.ended)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start lesson %s: %w", lesson, err)
	}
	return c, nil
}

// take takes in a line that the lesson's program says.
func (c *course) take(line []byte) {
	var step run.Step
	if json.Unmarshal(line, &step) != nil || step.Run == "" {
		_, _ = c.said.Write(append(line, '\n'))
		return
	}
	c.mu.Lock()
	first := c.step.Run == ""
	c.step = step
	c.mu.Unlock()
	if !first {
		return
	}
	if c.prediction != nil {
		if err := c.prediction.write(filepath.Join(c.results, step.Run)); err != nil {
			c.log.Print(err)
		}
	}
	close(c.begun)
}

// await returns the run's name once it has one, or why it has none.
func (c *course) await(ctx context.Context) (string, error) {
	select {
	case <-c.begun:
	case <-ctx.Done():
		return "", fmt.Errorf("lesson %s didn't begin in time", c.lesson)
	case <-c.ended:
		select {
		case <-c.begun:
		default:
			return "", wrong(fmt.Errorf("lesson %s: %s", c.lesson, c.said.String()))
		}
	}
	return c.state().Run, nil
}

// cancel asks it to end, once: finished cells are kept and latencies put back.
func (c *course) cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.cancelled {
		c.cancelled = true
		_ = c.command.Process.Signal(syscall.SIGINT) // it has ended already
	}
}

// state is how far it is.
func (c *course) state() *Running {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &Running{Name: c.lesson, Run: c.step.Run, State: "running", Cell: c.step.Cell, Done: c.step.Done, Of: c.step.Of,
		SecondsLeft: c.step.SecondsLeft, Failed: c.step.Failed}
	if c.cancelled {
		r.State = "cancelling"
	}
	return r
}

// outcome is what became of it, once it has ended.
func (c *course) outcome() *LastRun {
	last := &LastRun{Lesson: c.lesson, Run: c.state().Run, Status: string(result.Failed), Reason: c.said.String()}
	if last.Run == "" {
		return last
	}
	doc, err := result.Read(filepath.Join(c.results, last.Run))
	if err != nil {
		last.Reason = err.Error()
		return last
	}
	last.Status, last.Reason = string(doc.Status), doc.Reason
	if doc.Status == result.Running {
		last.Status, last.Reason = string(result.Interrupted), neverEnded
	}
	return last
}

// A lessonOrder is what is asked of a lesson.
type lessonOrder struct {
	Prediction *Prediction `json:"prediction"`
	Paths      []string    `json:"paths"`  // only these
	Groups     []string    `json:"groups"` // only these
}

// flags are the order's in the words of 'lab run'.
func (o lessonOrder) flags() (flags []string) {
	if len(o.Paths) > 0 {
		flags = append(flags, "--paths="+strings.Join(o.Paths, ","))
	}
	if len(o.Groups) > 0 {
		flags = append(flags, "--groups="+strings.Join(o.Groups, ","))
	}
	return flags
}

// runLesson starts a lesson: live load and probes stand still first.
func (p *parts) runLesson(w http.ResponseWriter, r *http.Request) error {
	entry, l, err := p.lessonNamed(r.Context(), r.PathValue("name"))
	if err != nil {
		return err
	}
	if err := p.locked(); err != nil {
		return err
	}
	if l == nil {
		return wrong(errors.New(entry.Trouble))
	}
	var order lessonOrder
	if err := understand(r, &order); err != nil {
		return err
	}
	if order.Prediction != nil {
		if err := order.Prediction.check(l, entry.Paths); err != nil {
			return wrong(err)
		}
		order.Prediction.At = time.Now().UTC().Truncate(time.Second)
	}
	if !p.lock.begin(l.Name) {
		return &problem{http.StatusLocked, p.lock.text()}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), beginWait)
	defer cancel()
	id, err := p.teach(ctx, l.Name, order)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, map[string]string{"run": id})
	return nil
}

// teach starts the lesson that the lock is held for, and returns its run. When it has ended all goes on as before.
func (p *parts) teach(ctx context.Context, name string, order lessonOrder) (string, error) {
	p.checkLock()
	p.moved.beat() // probes rest
	for !p.load.still() && ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
	}
	c, err := begin(p.source.Lab, p.results(), name, order.flags(), order.Prediction, p.log)
	if err != nil {
		p.lock.end()
		return "", err
	}
	p.mu.Lock()
	p.course = c
	p.mu.Unlock()
	p.running.Go(func() {
		select {
		case <-p.closing:
			c.cancel()
			<-c.ended
		case <-c.ended:
		}
		p.mu.Lock()
		p.course, p.lastRun = nil, c.outcome()
		p.mu.Unlock()
		p.lock.end()
		p.checkLock()
		p.moved.beat()
	})
	return c.await(ctx)
}

// lessonState is how far the console's own lesson is, nil where none runs, and what became of the last one.
func (p *parts) lessonState() (*Running, *LastRun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.course == nil {
		return nil, p.lastRun
	}
	return p.course.state(), p.lastRun
}

// cancelLesson ends the lesson under way, whoever started it.
func (p *parts) cancelLesson(w http.ResponseWriter, _ *http.Request) error {
	p.mu.Lock()
	c := p.course
	p.mu.Unlock()
	if c != nil {
		c.cancel()
		answer(w, http.StatusOK, map[string]*Running{"lesson": c.state()})
		return nil
	}
	what, ok := p.source.UnderWay()
	if !ok || !strings.HasPrefix(what, "lesson ") {
		return &problem{http.StatusConflict, "no lesson is running: there is nothing to cancel"}
	}
	if err := run.Cancel(p.results(), p.log.Writer()); err != nil {
		return err
	}
	p.checkLock()
	answer(w, http.StatusOK, map[string]*Running{"lesson": nil})
	return nil
}
