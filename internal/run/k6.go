package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// grace is how long k6 may take to end its statements, close its connections and write its summary after it was asked to
// stop.
func grace(o order) time.Duration {
	return 8*time.Second + time.Duration(max(o.Clients, o.Pods*o.PodPool))*20*time.Millisecond
}

// An order is what k6 is told of a cell, in the environment variable LAB_CELL.
type order struct {
	Path     string  `json:"path"`
	DSN      string  `json:"dsn"` // without a password: that is in PGPASSWORD
	Workload string  `json:"workload"`
	Clients  int     `json:"clients"`
	Rate     float64 `json:"rate"` // transactions per second over all clients; 0 is a closed loop
	Seconds  float64 `json:"seconds"`
	Warmup   float64 `json:"warmup_seconds"`
	Protocol string  `json:"protocol"`
	Scale    int     `json:"scale"`
	Summary  string  `json:"summary"` // where k6 writes what it saw
	Latency  int     `json:"latency_ms"`
	Link     string  `json:"link"`
	Deadline float64 `json:"deadline_seconds"`
	Seed     uint32  `json:"seed"`

	Role         string            `json:"role"`
	PoolSize     int               `json:"pool_size"`    // of PgBouncer, 0 where it is as configured
	Pods         int               `json:"pods"`         // 0 is a connection a client
	PodPool      int               `json:"pod_pool"`     // connections of each pod
	Transactions int               `json:"transactions"` // of each client; 0 is a window of Seconds
	Params       json.RawMessage   `json:"params"`       // an object
	DSNs         map[string]string `json:"dsns"`         // of every available PostgreSQL path, without latency, by its name
}

// A generator is k6 after it has ended.
type generator struct {
	exit    int
	started time.Time
	ended   time.Time
	cpu     time.Duration
	memory  int64  // most bytes it held
	printed string // the end of its log
}

// runK6 runs script once for what o asks, with its output in log, and waits for it. Where ctx ends first k6 gets
// exactly one SIGINT, since a second one would make it leave without a summary, and is killed after a grace.
func runK6(ctx context.Context, script, log, password string, o order) (generator, error) {
	cell, err := json.Marshal(o)
	if err != nil {
		return generator{}, fmt.Errorf("write the cell for k6: %w", err)
	}
	output, err := os.Create(log)
	if err != nil {
		return generator{}, fmt.Errorf("make k6's log: %w", err)
	}
	defer output.Close()

	k6 := exec.CommandContext(ctx, "k6", "run", "--quiet", "--no-color", script)
	k6.Env = append(K6Environment(os.Environ()), "LAB_CELL="+string(cell), "PGPASSWORD="+password)
	k6.Stdout, k6.Stderr = output, output
	// A group of its own, or a terminal's Ctrl-C would reach it beside ours. If the lab's program is killed, k6
	// must not load the servers on: Pdeathsig ends it.
	k6.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
	k6.Cancel = func() error { return k6.Process.Signal(syscall.SIGINT) }
	k6.WaitDelay = grace(o)

	g := generator{started: time.Now()}
	err = runOnOneThread(k6)
	g.ended = time.Now()
	if k6.ProcessState == nil {
		return g, fmt.Errorf("start k6: %w", err)
	}
	g.exit = k6.ProcessState.ExitCode()
	g.cpu = k6.ProcessState.UserTime() + k6.ProcessState.SystemTime()
	if usage, ok := k6.ProcessState.SysUsage().(*syscall.Rusage); ok {
		g.memory = usage.Maxrss << 10
	}
	g.printed = lastLines(log, 5)
	var exited *exec.ExitError
	if err != nil && ctx.Err() == nil && !errors.As(err, &exited) {
		return g, fmt.Errorf("wait for k6: %w", err)
	}
	return g, nil
}

// runOnOneThread runs c on a thread that lives as long as c does: Pdeathsig is sent when the thread that started
// a process ends, not when the whole program does.
func runOnOneThread(c *exec.Cmd) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		done <- c.Run()
	}()
	return <-done
}

// K6Environment is env without what would change a lesson behind its back (K6_VUS and K6_DURATION throw scenarios
// away) and without passwords that k6 doesn't need.
func K6Environment(env []string) []string {
	kept := []string{"K6_NO_USAGE_REPORT=true", "K6_AUTO_EXTENSION_RESOLUTION=false", "HOME=" + os.TempDir()}
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "K6_") || strings.HasSuffix(name, "PASSWORD") || name == "LAB_CELL" || name == "HOME" {
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// lastLines returns the last n lines that are not empty of a file, for a message.
func lastLines(file string, n int) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
