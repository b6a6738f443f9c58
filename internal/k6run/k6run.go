// Package k6run starts k6: for a cell of a lesson, for the live load and for a person. What it does with the process
// serves pgbench, too.
package k6run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// program is k6 with the lab's module.
const program = "k6"

// An Order is one quiet run of k6, whose figures go to one of the lab's own outputs.
type Order struct {
	Program  string // k6 where empty
	Script   string
	Output   string // lab=FILE for a summary at the end, live=METRIC for a line a second
	Env      []string
	Password string // of the role that its clients log in as
	Clients  int    // that it has, which decides how often it collects garbage; 0: as Go does

	Stdout, Stderr io.Writer
	Grace          time.Duration // for k6 to end its statements and close its connections when it is to stop
}

// A Process is a k6, or a pgbench, that runs.
type Process struct {
	command *exec.Cmd
	grace   time.Duration
	ended   chan struct{}
	end     End
}

// An End is how k6, or pgbench, ended.
type End struct {
	Exit           int
	Started, Ended time.Time
	CPU            time.Duration
	Memory         int64 // most bytes it held
	Err            error // where it isn't known how it ended
}

// Run runs k6 and waits for it. Where ctx ends first k6 is stopped.
func Run(ctx context.Context, o Order) (End, error) {
	p, err := Start(o)
	if err != nil {
		return End{}, err
	}
	select {
	case <-ctx.Done():
		return p.Stop(), nil
	case <-p.Ended():
		return p.end, p.end.Err
	}
}

// Start starts k6, which is interrupted if the lab's program is killed.
func Start(o Order) (*Process, error) {
	p, err := Begin(o.command(), syscall.SIGINT, o.Grace)
	if err != nil {
		return nil, fmt.Errorf("start k6: %w", err)
	}
	return p, nil
}

// Begin starts a program that loads the servers. Its group is its own, or a terminal's Ctrl-C would reach it beside
// ours. If the lab's program is killed, it must not load the servers on: it gets the signal orphaned then. The kernel
// sends that when the thread that started a process ends, not when the whole program does: the thread lives as long as
// the process.
func Begin(command *exec.Cmd, orphaned syscall.Signal, grace time.Duration) (*Process, error) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: orphaned}
	p := &Process{command: command, grace: grace, ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		p.end.Started = time.Now()
		err := command.Start()
		started <- err
		if err == nil {
			p.wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// command is the command that an order stands for.
func (o Order) command() *exec.Cmd {
	name := program
	if o.Program != "" {
		name = o.Program
	}
	k6 := exec.Command(name, "run", "--quiet", "--no-color", "--summary-mode", "disabled", "--no-thresholds",
		"--out", o.Output, o.Script)
	k6.Env = append(Environment(os.Environ()), o.Env...)
	k6.Env = append(k6.Env, "PGPASSWORD="+o.Password)
	k6.Env = append(k6.Env, GOGC(o.Clients)...)
	k6.Stdout, k6.Stderr = o.Stdout, o.Stderr
	return k6
}

// wait waits for the end.
func (p *Process) wait() {
	defer close(p.ended)
	err := p.command.Wait()
	state := p.command.ProcessState
	p.end.Exit, p.end.Ended, p.end.CPU = state.ExitCode(), time.Now(), state.UserTime()+state.SystemTime()
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		p.end.Memory = usage.Maxrss << 10
	}
	if exited := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exited) {
		p.end.Err = fmt.Errorf("wait for its end: %w", err)
	}
}

// Began is when it was started.
func (p *Process) Began() time.Time { return p.end.Started }

// Ended is closed when it has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// End is how it ended, once Ended is closed.
func (p *Process) End() End { return p.end }

// Stop ends k6 and returns how it ended. It gets exactly one SIGINT, since a second one would make it leave without a
// summary and its sessions open, and is killed after its grace.
func (p *Process) Stop() End {
	_ = p.command.Process.Signal(syscall.SIGINT) // it may have ended already
	select {
	case <-p.ended:
	case <-time.After(p.grace):
		p.Kill()
	}
	return p.end
}

// Signal sends a signal to the program and its children.
func (p *Process) Signal(s syscall.Signal) error { return syscall.Kill(-p.command.Process.Pid, s) }

// Kill ends what is left of the program and its children.
func (p *Process) Kill() {
	select {
	case <-p.ended:
	default:
		_ = p.Signal(syscall.SIGKILL) // it may have ended just now
		<-p.ended
	}
}

// ours are variables that only the lab's program gives to k6.
var ours = []string{"LAB_CELL", "LAB_PAIR", "LAB_PAIR_PASSWORDS", "HOME"}

// Environment is env without what would change a script behind its back (K6_VUS and K6_DURATION throw scenarios away)
// and without passwords that k6 doesn't need.
func Environment(env []string) []string {
	kept := []string{"K6_NO_USAGE_REPORT=true", "K6_AUTO_EXTENSION_RESOLUTION=false", "HOME=" + os.TempDir()}
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "K6_") || strings.HasSuffix(name, "PASSWORD") || slices.Contains(ours, name) {
			continue
		}
		kept = append(kept, e)
	}
	return kept
}
