package metric

import (
	"math"

	"pooler-lab/internal/result"
)

// An effect is the most that a flagged condition can have done to a repeat. Its bounds are what figures that were
// measured under the condition are to be multiplied by to have those without it.
type effect struct {
	times  result.Bound // all times alike
	rates  result.Bound
	counts result.Bound
	held   float64 // share of the iterations, at random, that took longer than they would have
	unseen float64 // share of the iterations that nobody timed, however long they would have taken
}

// nothing was done.
func nothing() effect {
	return effect{times: result.Bound{1, 1}, rates: result.Bound{1, 1}, counts: result.Bound{1, 1}}
}

// effects say for each flag what its condition can have done, from what the repeat measured of it. Flags that aren't
// here have no bound and veto each outcome: on a saturated host (host, generator) nothing says how far figures are off,
// a median of few iterations is none, and what nobody counted (uncounted) may be anything.
var effects = map[result.FlagKind]func(*result.Cell, *result.Repeat) effect{
	result.FlagLatency:   roundTripOff,
	result.FlagThrottled: stopped,
	result.FlagStolen:    stolen,
	result.FlagLate:      late,
	result.FlagErrors:    failed,
	result.FlagWarmup:    notReady,
	result.FlagCounts:    miscounted,
}

// roundTripOff: where each round trip takes m ms and s are set, a time of v ms holds at most v/m round trips, each
// m - s off. Without that it is v - (v/m) x (m - s) = v x s/m at least, which needs no count of round trips and holds
// for a closed loop's queues too, since all that is waited for shrinks by s/m at most. By Little's law (clients = rate
// x time) rates move by the inverse. All of it may also have passed before the window opened. An open loop is taken to
// ask for so little that hardly anything queues: the queue of one near its limit can shrink by more.
func roundTripOff(_ *result.Cell, r *result.Repeat) effect {
	e := nothing()
	if t := r.RoundTrip; t != nil && t.MeasuredMS > 0 {
		share := t.SetMS / t.MeasuredMS
		e.times = result.Bound{min(1, share), max(1, share)}
		e.rates = inverse(e.times)
	}
	return e
}

// stopped: CPU limits can have made no more iterations longer than fell into a stop, see HeldUp; which those are has
// nothing to do with how long they take otherwise. Work that was lost is at most the same share of the window.
func stopped(_ *result.Cell, r *result.Repeat) effect {
	e := nothing()
	e.held = HeldUp(r)
	e.rates = lost(e.held)
	return e
}

// stolen: of the CPU time that somebody asked for, the hypervisor kept the share s = stolen / busy (the kernel counts
// stolen time as busy), so clients that never wait got at least 1 - s of the work done, and by Little's law
// their times are at most 1/(1 - s) of what they would be. An open loop's are those of a queue: service/(1 - u) at
// utilisation u (M/M/1; Kleinrock, Queueing Systems, 1975), and service/(1 - u - s) with s of the server gone. Stolen
// time comes in bursts, so s of the iterations may also have taken any time longer.
func stolen(c *result.Cell, r *result.Repeat) effect {
	e := nothing()
	u := r.Resources
	if u == nil || u.Stolen == nil {
		return e
	}
	share, used := *u.Stolen, 0.0
	if u.HostCPU != nil && *u.HostCPU > 0 {
		share, used = min(1, *u.Stolen / *u.HostCPU), max(0, *u.HostCPU-*u.Stolen)
	}
	e.held, e.rates, e.times = share, lost(share), result.Bound{1 - share, 1}
	if c.Rate > 0 {
		e.times[0] = max(0, 1-share/max(1-used, share))
	}
	return e
}

// late: iterations that began late count from when they were due, so k6's own delay is in their times. They then come
// all at once, and as many again may wait behind them, in an open loop that asks for half of what the path can do at
// most: any of these may be too long. Those that never began have no time at all, and are missing in the rate.
func late(_ *result.Cell, r *result.Repeat) effect {
	e, m := nothing(), r.Measured
	n, dropped := float64(begun(m)), float64(m.Dropped)
	if n == 0 {
		return unbounded()
	}
	e.held, e.unseen = min(1, 2*float64(m.Late)/n), dropped/(n+dropped)
	e.rates = result.Bound{1, 1 + dropped/n}
	return e
}

// failed: what failed has no time, and would have had any. Meanwhile its client was no load: without failures, times
// and rates may be larger in proportion (Little's law), by the share that failed, or by the share of the clients' time
// in which nothing was timed, since a failure can take longer than a success. The rate is too high where it took less.
func failed(c *result.Cell, r *result.Repeat) effect {
	e, m := nothing(), r.Measured
	n, _ := errors("")(c, r)
	if n+float64(m.Transactions) == 0 {
		return unbounded()
	}
	e.unseen = n / (n + float64(m.Transactions))
	if f := m.Finish; f != nil && c.Clients > 0 { // who couldn't connect failed once, and did none of its work
		e.unseen = max(e.unseen, 1-float64(f.Connected-f.Starved)/float64(c.Clients))
	}
	e.times = lost(max(e.unseen, idle(c, m)))
	e.rates = result.Bound{1 - e.unseen, e.times.Hi()}
	return e
}

// notReady: clients that were missing would have added to the load at most in proportion (Little's law), and those that
// connected within the window took at most their share of it from the others.
func notReady(c *result.Cell, r *result.Repeat) effect {
	e := nothing()
	if c.Clients > 0 {
		share := max(0, 1-float64(r.Measured.ClientsReady)/float64(c.Clients))
		e.times = result.Bound{1 - share, lost(share)[1]}
		e.rates = e.times
	}
	return e
}

// miscounted: the server is right or k6 is, so a figure that counts is off by their ratio at most, less what the server
// can't tell apart; what only one of them counted was not timed.
func miscounted(_ *result.Cell, r *result.Repeat) effect {
	e, most := nothing(), 0.0
	for _, n := range r.Counts {
		if n.Equal {
			continue
		}
		off := max(0, math.Abs(float64(n.Server-n.K6))-float64(n.Unsure))
		most = max(most, off/float64(min(n.Server, n.K6))) // by 0 there is no bound
	}
	if math.IsInf(most, 0) || math.IsNaN(most) || most < 0 {
		return unbounded()
	}
	e.counts = result.Bound{1 / (1 + most), 1 + most}
	e.rates, e.unseen = e.counts, most/(1+most)
	return e
}

// unbounded is a condition that can have done anything.
func unbounded() effect {
	all := result.Bound{0, math.Inf(1)}
	return effect{times: all, rates: all, counts: all, unseen: 1}
}

// lost is the bound of a rate where work was done in all but a share of the time.
func lost(share float64) result.Bound { return result.Bound{1, 1 / max(0, 1-share)} }

// inverse is the bound of rates where b is that of times.
func inverse(b result.Bound) result.Bound { return result.Bound{1 / b[1], 1 / b[0]} }
