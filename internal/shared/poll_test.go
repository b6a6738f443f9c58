package shared

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestUntil(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name  string
		wait  time.Duration
		ends  time.Duration // when the context does
		after int           // calls it is so
		err   error         // that the last call returns
		calls int
		want  error
	}{
		{"at once", 0, time.Hour, 1, nil, 1, nil},
		{"later", time.Minute, time.Hour, 3, nil, 3, nil},
		{"an error", time.Minute, time.Hour, 2, broken, 2, broken},
		{"too late", 25 * time.Second, time.Hour, 99, nil, 4, ErrLate},
		{"asked once", 0, time.Hour, 99, nil, 1, ErrLate},
		{"the context ends", Forever, 15 * time.Second, 99, nil, 2, context.DeadlineExceeded},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), test.ends)
				defer cancel()
				calls := 0
				err := Until(ctx, test.wait, 10*time.Second, func() (bool, error) {
					calls++
					return calls == test.after && test.err == nil, map[bool]error{true: test.err}[calls == test.after]
				})
				if !errors.Is(err, test.want) || calls != test.calls {
					t.Errorf("%d calls, then %v; wanted %d, %v", calls, err, test.calls, test.want)
				}
			})
		})
	}
}
