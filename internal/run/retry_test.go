package run

import (
	"errors"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/internal/trial"
)

func TestRetryRules(t *testing.T) {
	flag := func(kinds ...result.FlagKind) (flags []result.Flag) {
		for _, k := range kinds {
			flags = append(flags, result.Flag{Kind: k, Text: "because of " + string(k)})
		}
		return flags
	}
	broken := errors.New("k6 ended with code 1")
	var (
		ok          = ruling{status: result.OK}
		failed      = ruling{status: result.Failed, reason: broken.Error()}
		interrupted = ruling{status: result.Interrupted, reason: "the run was stopped meanwhile"}
	)
	rejected := func(reason string, next ruling) ruling {
		next.status, next.reason = result.Rejected, reason
		return next
	}
	again, afterWait := ruling{again: true}, ruling{again: true, wait: true}
	tests := []struct {
		name    string
		attempt attempt
		want    ruling
	}{
		{"all is well", attempt{number: 1}, ok},
		{"a flag that another attempt wouldn't take away", attempt{number: 1, flags: flag(result.FlagThrottled)}, ok},
		{"a burst that wasn't its own", attempt{number: 1, burst: true, flags: flag(result.FlagThrottled)},
			rejected("because of throttled", again)},
		{"a second burst", attempt{number: 2, burst: true, flags: flag(result.FlagThrottled)}, ok},
		{"a burst and stolen time", attempt{number: 1, burst: true, flags: flag(result.FlagThrottled, result.FlagStolen)},
			rejected("because of stolen", afterWait)},
		{"it failed", attempt{number: 1, failed: broken}, failed},
		{"the run was stopped", attempt{number: 1, stopped: true, failed: broken}, interrupted},
		{"stopped, and something was changed", attempt{number: 1, stopped: true, failed: &trial.Rejection{Reason: "a swap"}},
			rejected("a swap", again)},

		{"something was changed", attempt{number: 1, failed: &trial.Rejection{Reason: "a swap"}}, rejected("a swap", again)},
		{"changed again", attempt{number: 2, failed: &trial.Rejection{Reason: "a swap"}}, rejected("a swap", ruling{})},

		{"its servers weren't ready in time", attempt{number: 1, failed: &trial.Unprepared{Err: broken}},
			rejected(broken.Error(), again)},
		{"nor the second time", attempt{number: 2, failed: &trial.Unprepared{Err: broken}}, failed},
		{"its rate drifts", attempt{number: 1, flags: flag(result.FlagDrift)}, rejected("because of drift", again)},
		{"it drifts again", attempt{number: 2, flags: flag(result.FlagDrift)}, ok},

		{"stolen time", attempt{number: 1, flags: flag(result.FlagStolen)}, rejected("because of stolen", afterWait)},
		{"stolen again", attempt{number: 2, flags: flag(result.FlagStolen)}, rejected("because of stolen", afterWait)},
		{"stolen in the last attempt", attempt{number: 3, flags: flag(result.FlagStolen)}, ok},

		{"servers counted otherwise", attempt{number: 1, flags: flag(result.FlagCounts)},
			rejected("because of counts", again)},
		{"and again", attempt{number: 2, flags: flag(result.FlagCounts)}, ok},
		{"stolen first, then counted otherwise", attempt{number: 2, flags: flag(result.FlagCounts, result.FlagStolen)},
			rejected("because of stolen", afterWait)},

		{"clients never got ready", attempt{number: 1, flags: flag(result.FlagWarmup)}, ok},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.attempt.rule(); got != test.want {
				t.Errorf("ruled %+v, it should be %+v", got, test.want)
			}
		})
	}
}

// A burst is far above the cell's other repeats, of which there have to be some.
func TestBurst(t *testing.T) {
	stopped := func(block int, stops int64) result.Repeat {
		return result.Repeat{Block: block, Status: result.OK, Measured: &result.Measured{WindowSeconds: 2},
			Resources: &result.Resources{Containers: []result.Container{{Service: "primary", Stops: stops}}}}
	}
	tests := []struct {
		name   string
		others []int64
		stops  int64
		want   bool
	}{
		{"far above the others", []int64{0, 1, 0}, 3, true},
		{"as the others", []int64{3, 4, 3}, 4, false},
		{"a little above none", []int64{0, 0, 0}, 1, false},
		{"three times as much, and little", []int64{0, 0, 1, 1, 0}, 1, false},
		{"twice as much", []int64{3, 3, 3}, 6, false},
		{"among too few", []int64{0}, 9, false},
	}
	for _, test := range tests {
		c := result.Cell{Cell: lesson.Cell{ID: "a"}}
		for i, stops := range test.others {
			c.Add(stopped(i+1, stops))
		}
		other := result.Cell{Cell: lesson.Cell{ID: "b"}, Repeats: []result.Repeat{stopped(1, 0), stopped(2, 0)}}
		r := &runner{doc: &result.Run{Cells: []result.Cell{other, c}}}
		out := stopped(len(test.others)+1, test.stops)
		if got := r.burst(c.Cell, &out); got != test.want {
			t.Errorf("%s: a burst: %v", test.name, got)
		}
	}
}
