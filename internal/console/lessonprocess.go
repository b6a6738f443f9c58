package console

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"pooler-lab/internal/console/api"
	"pooler-lab/internal/result"
	"pooler-lab/internal/run"
)

// beginWait is how long a lesson may take to say which run it is, or what is wrong with it.
const beginWait = 60 * time.Second

// A lessonProcess is a lesson under way that the console has started: 'lab run' as a process of its own, so that
// 'lab cancel' ends it and not the console, and a console that ends doesn't take the latencies it has set with it.
type lessonProcess struct {
	lesson     string
	prediction *api.Prediction
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
func begin(
	program, results, lesson string,
	more []string,
	prediction *api.Prediction,
	log *log.Logger,
) (*lessonProcess, error) {
	c := &lessonProcess{
		lesson:     lesson,
		prediction: prediction,
		results:    results,
		log:        log,
		begun:      make(chan struct{}),
		ended:      make(chan struct{}),
	}
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
func (c *lessonProcess) take(line []byte) {
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
		if err := writePrediction(c.prediction, filepath.Join(c.results, step.Run)); err != nil {
			c.log.Print(err)
		}
	}
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
	return c.state().Run, nil
}

// cancel asks it to end, once: finished cells are kept and latencies put back.
func (c *lessonProcess) cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.cancelled {
		c.cancelled = true
		_ = c.command.Process.Signal(syscall.SIGINT) // it has ended already
	}
}

// state is how far it is.
func (c *lessonProcess) state() *api.Running {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := runningAt(c.lesson, c.step)
	if c.cancelled {
		r.State = "cancelling"
	}
	return r
}

// runningAt is a lesson that is at that step.
func runningAt(lesson string, s run.Step) *api.Running {
	r := &api.Running{
		Name:        lesson,
		Run:         s.Run,
		State:       "running",
		Cell:        s.Cell,
		Done:        s.Done,
		Of:          s.Of,
		SecondsLeft: s.SecondsLeft,
		Failed:      s.Failed,
	}
	if s.Pair != nil {
		r.Pair = s.Pair.String()
	}
	return r
}

// outcome is what became of it, once it has ended.
func (c *lessonProcess) outcome() *api.LastRun {
	id := c.state().Run
	if id == "" {
		return &api.LastRun{Lesson: c.lesson, Status: string(result.Failed), Reason: c.said.String()}
	}
	return outcomeOf(c.results, c.lesson, id)
}

// outcomeOf is what became of a run that has ended.
func outcomeOf(results, lesson, id string) *api.LastRun {
	last := &api.LastRun{Lesson: lesson, Run: id, Status: string(result.Failed)}
	doc, err := result.Read(filepath.Join(results, id))
	switch {
	case err != nil:
		last.Reason = err.Error()
	case doc.Status == result.Running:
		last.Status, last.Reason = string(result.Interrupted), neverEnded
	default:
		last.Status, last.Reason = string(doc.Status), doc.Reason
	}
	return last
}
