// Package caller ties the lab's program to the script that called it: where the script ends, however it does, ends what
// it started.
package caller

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// tied is whether standard input is what the caller holds open, and nothing to read: it closes where the caller ends.
func tied() bool { return os.Getenv("LAB_TIED") != "" }

// Watch calls end once the caller has ended.
func Watch(end func()) {
	if !tied() {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // an error is an end, too
		end()
	}()
}

// Columns is how wide the caller's terminal is, 0 where the output goes elsewhere.
func Columns() int {
	width, _ := strconv.Atoi(os.Getenv("LAB_COLUMNS")) // nothing is 0
	return width
}

// Become has this process end as the program does, with its exit code. Where the caller has ended, so that ctx is done,
// the program is interrupted, and killed after its grace. Passwords go in the environment, never in its arguments.
func Become(ctx context.Context, grace time.Duration, env []string, program string, args ...string) error {
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
	exit, err := run(c, grace)
	if err != nil {
		return err
	}
	os.Exit(exit)
	return nil
}

// run runs a program to its end, and returns its exit code as a shell has it.
func run(c *exec.Cmd, grace time.Duration) (int, error) {
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
