// Package generator runs the program that the clients of a trial are in, k6 or pgbench, and the k6 of the live load.
package generator

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// A Process is a k6, or a pgbench, that runs.
type Process struct {
	command *exec.Cmd
	grace   time.Duration // to end by itself once it is stopped
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
		p.kill()
	}
	return p.end
}

// Signal sends a signal to the program and its children.
func (p *Process) Signal(s syscall.Signal) error { return syscall.Kill(-p.command.Process.Pid, s) }

// kill ends what is left of the program and its children.
func (p *Process) kill() {
	select {
	case <-p.ended:
	default:
		_ = p.Signal(syscall.SIGKILL) // it may have ended just now
		<-p.ended
	}
}
