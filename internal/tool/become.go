package tool

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// tied is whether standard input is what the calling script holds open, and nothing to read: it closes where the script
// ends.
func tied() bool { return os.Getenv("LAB_TIED") != "" }

// become has this process end as the program does, with its exit code. Where the caller has ended, so that ctx is done,
// the program is interrupted, and killed after its grace. Passwords go in the environment, never in its arguments.
func become(ctx context.Context, grace time.Duration, env []string, program string, args ...string) error {
	file, err := exec.LookPath(program)
	if err != nil {
		return fmt.Errorf("find %s: %w", program, err)
	}
	c := exec.CommandContext(ctx, file, args...)
	c.Env = env
	if !tied() { // signals and terminal are the program's own
		err := syscall.Exec(file, c.Args, c.Environ())
		return fmt.Errorf("run %s: %w", file, err)
	}
	exit, err := runToEnd(c, grace)
	if err != nil {
		return err
	}
	os.Exit(exit)
	return nil
}

// runToEnd runs a program, and returns its exit code as a shell has it.
func runToEnd(c *exec.Cmd, grace time.Duration) (int, error) {
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = grace
	if err := c.Run(); c.ProcessState == nil {
		return 0, fmt.Errorf("run %s: %w", c.Path, err)
	}
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return c.ProcessState.ExitCode(), nil
}
