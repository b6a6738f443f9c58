package run

import (
	"context"
	"errors"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/trial"
)

// attempts is how often a repeat is tried at most.
const attempts = 3

// countsFrom says, for each flag that is a reason to run a repeat again, from which attempt on the repeat counts all
// the same, with its flag.
//
// Stolen CPU time says nothing of the lab. Nor does a first attempt that the servers counted otherwise: a pooler may
// look up tables and functions that it hasn't met since it started, by transactions of its own, and they come with the
// first cell that has a new statement. A CPU limit that stopped a component is a reason only where it stopped the
// cell's other repeats much less: then it wasn't the cell that used up the limit. A rate that drifts may be chance, or
// something else that the machine did meanwhile.
var countsFrom = map[result.FlagKind]int{
	result.FlagStolen:    attempts,
	result.FlagCounts:    2,
	result.FlagThrottled: 2,
	result.FlagDrift:     2,
}

// An attempt is how a trial went.
type attempt struct {
	number  int           // from 1
	stopped bool          // the run was, meanwhile
	failed  error         // why it has no result; a rejection where somebody changed something under it
	flags   []result.Flag // where there is something measured
	burst   bool          // CPU limits stopped it far more often than the cell's other repeats
}

// A ruling is what becomes of an attempt.
type ruling struct {
	status result.Status
	reason string

	again bool // the repeat is tried once more
	wait  bool // before that, for other machines to let go of the CPU
}

// rule decides what becomes of an attempt. This is the only place that says when a repeat is run again: what somebody
// changed is worth one more attempt, and so are servers that weren't ready; stolen CPU time as many as there are.
func (a attempt) rule() ruling {
	var rejected *trial.Rejection
	var late *trial.Unprepared
	switch {
	case errors.As(a.failed, &rejected):
		return ruling{status: result.Rejected, reason: rejected.Reason, again: a.number == 1}
	case a.stopped:
		return ruling{status: result.Interrupted, reason: "the run was stopped meanwhile"}
	case errors.As(a.failed, &late) && a.number == 1:
		return ruling{status: result.Rejected, reason: late.Error(), again: true}
	case a.failed != nil:
		return ruling{status: result.Failed, reason: a.failed.Error()}
	}
	r := ruling{status: result.OK}
	for _, f := range a.flags {
		if a.number < countsFrom[f.Kind] && (f.Kind != result.FlagThrottled || a.burst) {
			r.status, r.reason, r.again = result.Rejected, f.Text, true
			r.wait = r.wait || f.Kind == result.FlagStolen
		}
	}
	return r
}

// When a repeat was stopped far more often than the cell's others, of which there have to be a few.
const (
	burstOthers = 2
	burstTimes  = 3.0
	burstMore   = 0.10 // of the iterations
)

// burst says whether CPU limits held up far more of the repeat's iterations than of the cell's other repeats, by their
// median.
func (r *runner) burst(c lesson.Cell, out *result.Repeat) bool {
	var others []float64
	for i := range r.doc.Cells {
		if r.doc.Cells[i].ID != c.ID {
			continue
		}
		for j := range r.doc.Cells[i].Repeats {
			if other := &r.doc.Cells[i].Repeats[j]; other.Status == result.OK && other.Block != out.Block {
				others = append(others, metric.HeldUp(other))
			}
		}
	}
	usual, _ := shared.Median(others)
	return len(others) >= burstOthers && metric.HeldUp(out) >= max(burstTimes*usual, usual+burstMore)
}

// How long a repeat waits for other machines before another attempt, and how often those of a run do.
const (
	calmWait  = 5 * time.Second
	calmWaits = 12
)

// calm waits for the hypervisor to give the CPU to this machine again, as far as there is patience.
func (r *runner) calm(ctx context.Context) {
	if r.pauses++; r.pauses > calmWaits {
		return
	}
	r.progress.enter("waiting for the CPU")
	select {
	case <-ctx.Done():
	case <-time.After(calmWait):
	}
}
