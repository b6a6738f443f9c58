package main

import (
	"context"
	"errors"
	"fmt"
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
