package pgbench

import (
	"cmp"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"pooler-lab/internal/k6run"
)

// process is a pgbench with a log.
type process struct {
	*k6run.Process
	ready  chan struct{} // closed when pgbench first reports its progress: all clients are connected and busy
	busy   time.Time     // when all clients were connected and began, once that is closed
	beside strings.Builder
	report strings.Builder
}

// progressEach is how long clients have been busy when pgbench first reports its progress.
const progressEach = time.Second

// start starts pgbench with a log whose files' names begin with prefix. If this program is killed, so is pgbench.
func (t Test) start(script, prefix string) (*process, error) {
	command := exec.Command(cmp.Or(t.Program, "pgbench"), t.args(script, prefix)...)
	p := &process{ready: make(chan struct{})}
	command.Env, command.Stdout, command.Stderr = t.Env, &p.report, p
	var err error
	if p.Process, err = k6run.Begin(command, syscall.SIGKILL, 0); err != nil {
		return nil, fmt.Errorf("start pgbench: %w", err)
	}
	return p, nil
}

// progress is a line of its progress.
var progress = regexp.MustCompile(`(?m)^progress:.*\n?`)

// Write takes in what pgbench writes beside its report.
func (p *process) Write(text []byte) (int, error) {
	p.beside.Write(text)
	if p.busy.IsZero() && progress.MatchString(p.beside.String()) {
		p.busy = time.Now().Add(-progressEach)
		close(p.ready)
	}
	return len(text), nil
}

// said is what pgbench wrote beside its report and its progress, once it has ended.
func (p *process) said() string {
	return strings.TrimSpace(progress.ReplaceAllString(p.beside.String(), ""))
}

// failure returns how pgbench failed, once it has ended, with what it said.
func (p *process) failure() error {
	switch end := p.End(); {
	case end.Err != nil:
		return fmt.Errorf("run pgbench: %w", end.Err)
	case end.Exit != 0:
		return fmt.Errorf("run pgbench: it ended with code %d\n%s", end.Exit, p.said())
	}
	return nil
}
