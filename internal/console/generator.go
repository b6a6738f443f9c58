package console

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"pooler-lab/internal/run"
	"pooler-lab/k6/live/second"
)

// k6Grace is how long k6 may take to end after it was asked to, before it is killed.
const k6Grace = 8 * time.Second

// A generator is a k6 that runs.
type generator struct {
	command *exec.Cmd
	ended   chan struct{} // closed when it has
	err     error         // of its end; to be read once ended is closed
	log     tail
}

// start starts k6 for a request.
func (l *load) start(ctx context.Context, request *loadRequest) (*generator, error) {
	scale, err := l.source.Scale(ctx)
	if err != nil {
		return nil, err
	}
	script, err := request.script(l.source.Set, scale)
	if err != nil {
		return nil, err
	}
	told, err := json.Marshal(script)
	if err != nil {
		return nil, fmt.Errorf("write the live load for k6: %w", err)
	}
	workload, err := workloadOf(request.Workload)
	if err != nil {
		return nil, err
	}
	k6 := exec.Command(l.source.K6, "run", "--quiet", "--no-color", "--out", "live="+workload.metric, filepath.Join(l.root, "k6", "live.js"))
	k6.Env = append(run.K6Environment(os.Environ()), "LAB_LIVE="+string(told), "PGPASSWORD="+os.Getenv("APP_PASSWORD"))
	// Its own group: a Ctrl-C is the lab's to hand on, once. Should the lab's program be killed, k6 ends with it.
	k6.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
	g := &generator{command: k6, ended: make(chan struct{})}
	return g, g.run(l.told)
}

// run starts k6 on a thread that lives as long as it does: Pdeathsig is sent when the thread that started a process ends.
func (g *generator) run(told func(second.Line)) error {
	out, err := g.command.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start k6: %w", err)
	}
	g.command.Stderr = &g.log
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := g.command.Start()
		started <- err
		if err != nil {
			return
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			var line second.Line
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Paths != nil {
				told(line)
			} else {
				_, _ = g.log.Write(append(lines.Bytes(), '\n'))
			}
		}
		g.err = g.command.Wait()
		close(g.ended)
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start k6: %w", err)
	}
	return nil
}

// stop asks k6 to end, exactly once, and kills it where it doesn't: two signals would make it leave its sessions open.
func (g *generator) stop() {
	_ = g.command.Process.Signal(syscall.SIGINT) // it has ended already
	select {
	case <-g.ended:
		return
	case <-time.After(k6Grace):
	}
	_ = syscall.Kill(-g.command.Process.Pid, syscall.SIGKILL)
	<-g.ended
}

// why says why it ended by itself.
func (g *generator) why() error {
	text := g.log.String()
	switch {
	case text != "":
		return errors.New("k6 ended by itself: " + text)
	case g.err != nil:
		return fmt.Errorf("k6 ended by itself: %w", g.err)
	}
	return errors.New("k6 ended by itself")
}

// tail keeps the end of what a program says.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 600

func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-tailSize):]
	return len(text), nil
}

// String is the end in one line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(string(t.text)), " ")
}
