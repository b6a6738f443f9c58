package pgbench

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// process is a pgbench with a log, in a process group of its own.
type process struct {
	command *exec.Cmd
	began   time.Time
	ready   chan struct{} // closed when pgbench first reports its progress: all clients are connected and busy
	busy    time.Time     // when all clients were connected and began, once that is closed
	ended   chan struct{}
	over    time.Time // when it ended, once that is closed
	err     error     // how it ended
	said    strings.Builder
	report  strings.Builder
}

// progressEach is how long clients have been busy when pgbench first reports its progress.
const progressEach = time.Second

// start starts pgbench with a log whose files' names begin with prefix. If this program is killed, so is pgbench:
// Pdeathsig. That is sent when the thread that started a process ends, so the thread lives as long as pgbench.
func (t Test) start(script, prefix string) (*process, error) {
	command := exec.Command(cmp.Or(t.Program, "pgbench"), t.args(script, prefix)...)
	command.Env = t.Env
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	said, err := command.StderrPipe()
	if err != nil {
		return nil, fmt.Errorf("start pgbench: %w", err)
	}
	p := &process{command: command, ready: make(chan struct{}), ended: make(chan struct{})}
	command.Stdout = &p.report
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		p.began = time.Now()
		err := command.Start()
		started <- err
		if err == nil {
			defer close(p.ended)
			p.listen(said)
			p.err = command.Wait()
			p.over = time.Now()
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start pgbench: %w", err)
	}
	return p, nil
}

// listen reads what pgbench writes beside its report, until it ends.
func (p *process) listen(from io.Reader) {
	busy := false
	for lines := bufio.NewScanner(from); lines.Scan(); {
		switch {
		case !strings.HasPrefix(lines.Text(), "progress:"):
			p.said.WriteString("\n" + lines.Text())
		case !busy:
			busy, p.busy = true, time.Now().Add(-progressEach)
			close(p.ready)
		}
	}
}

// signal sends a signal to pgbench and its children.
func (p *process) signal(s syscall.Signal) error {
	if err := syscall.Kill(-p.command.Process.Pid, s); err != nil {
		return fmt.Errorf("send pgbench %v: %w", s, err)
	}
	return nil
}

// kill ends what is left of pgbench.
func (p *process) kill() {
	select {
	case <-p.ended:
		return
	default:
	}
	_ = p.signal(syscall.SIGKILL) // it may have ended just now
	<-p.ended
}

// failure returns how pgbench failed, once it has ended, with what it said.
func (p *process) failure() error {
	if p.err != nil {
		return fmt.Errorf("run pgbench: %w%s", p.err, p.said.String())
	}
	return nil
}
