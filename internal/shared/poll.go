package shared

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// ErrLate is Until's error where what it waited for hasn't come in time.
var ErrLate = errors.New("not within")

// Forever is a wait that only the context ends.
const Forever time.Duration = math.MaxInt64

// Every calls do now, and then after each interval, until ctx ends.
func Every(ctx context.Context, interval time.Duration, do func()) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		do()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Until calls so until that returns true or an error, with a pause between two calls. It calls so once at least. Once
// wait is over it returns an ErrLate, and once ctx has ended the context's error.
func Until(ctx context.Context, wait, pause time.Duration, so func() (bool, error)) error {
	begun := time.Now()
	for {
		if done, err := so(); done || err != nil {
			return err
		}
		if time.Since(begun) >= wait {
			return fmt.Errorf("%w %v", ErrLate, wait)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Repeat calls do now and after each interval until stop is called, which waits for a call that is under way.
func Repeat(interval time.Duration, do func()) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var calls sync.WaitGroup
	calls.Go(func() { Every(ctx, interval, do) })
	return func() { cancel(); calls.Wait() }
}
