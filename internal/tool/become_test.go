package tool

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"pooler-lab/test/testkit"
)

// A program's exit code is the caller's.
func TestExitCode(t *testing.T) {
	for code, want := range map[string]int{"exit 0": 0, "exit 99": 99, "kill -TERM $$": 128 + 15} {
		got, err := runToEnd(exec.CommandContext(t.Context(), "bash", "-c", code), time.Minute)
		if err != nil || got != want {
			t.Errorf("%s: %d, %v, not %d", code, got, err, want)
		}
	}
	if _, err := runToEnd(exec.CommandContext(t.Context(), "/no-such-program"), time.Minute); err == nil {
		t.Error("a program that isn't there runs")
	}
}

// Where the caller has ended, the program gets one SIGINT, and is killed where it goes on.
func TestProgramEndsWithTheCaller(t *testing.T) {
	for name, c := range map[string]struct {
		code  string
		grace time.Duration
		want  int
	}{
		"it listens": {"trap 'exit 105' INT; echo >&3; while :; do sleep 0.02; done", time.Minute, 105},
		"it goes on": {"trap : INT; echo >&3; while :; do sleep 0.02; done", 300 * time.Millisecond, 128 + 9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read, write, err := os.Pipe()
			testkit.OK(t, err)
			defer read.Close()
			defer write.Close()
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				_, _ = read.Read(make([]byte, 1)) // it is ready
				cancel()
			}()
			program := exec.CommandContext(ctx, "bash", "-c", c.code)
			program.ExtraFiles = []*os.File{write}
			if got, err := runToEnd(program, c.grace); err != nil || got != c.want {
				t.Errorf("it ends with %d, %v, not %d", got, err, c.want)
			}
		})
	}
}
