package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

type coded struct{}

func (coded) Error() string { return "inconclusive" }
func (coded) ExitCode() int { return 2 }

func TestExitCode(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	broken, asks := errors.New("broken"), fmt.Errorf("lab: %w", coded{})
	for _, test := range []struct {
		ctx  context.Context
		err  error
		want int
	}{
		{t.Context(), broken, 1},
		{t.Context(), asks, 2},
		{stopped, broken, 130},
		{stopped, asks, 2},
	} {
		if got := exitCode(test.ctx, test.err); got != test.want {
			t.Errorf("%v, interrupted: %v: the exit code is %d, not %d", test.err, test.ctx.Err(), got, test.want)
		}
	}
}

// Standard input that closes ends what is tied to it, and nothing else.
func TestEndsWithTheCaller(t *testing.T) {
	if os.Getenv("WATCHING") != "" {
		ended := make(chan struct{})
		endWithCaller(func() { close(ended) })
		if os.Getenv("LAB_TIED") != "" {
			<-ended
		}
		return
	}
	for _, env := range []string{"LAB_TIED=yes", "LAB_TIED="} {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestEndsWithTheCaller$")
		c.Env = append(os.Environ(), "WATCHING=yes", env)
		c.Stdin = bytes.NewReader([]byte("more"))
		if said, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", env, err, said)
		}
	}
}
