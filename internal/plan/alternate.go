package plan

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
)

// A pathCell is a cell and its path.
type pathCell struct {
	*lesson.Cell
	path topology.Path
}

// through says whether the side's queries go through the service.
func (s pathCell) through(service string) bool { return slices.Contains(s.path.Services, service) }

// whyNot says why the ratio's cells can't alternate, "" where they can. What is the same for every comparison of a cell
// comes first, what only two cells have between them last.
func (l Room) whyNot(r ratio) string {
	sides := [2]pathCell{{Cell: r.of}, {Cell: r.to}}
	for i, s := range sides {
		path, err := l.set.Find(s.Path)
		if err != nil {
			return err.Error()
		}
		sides[i].path = path
	}
	for _, why := range []string{
		refuseSchedule(sides), refuseMetric(r.metric), refuseLinks(sides), refuseSettings(sides), l.refusePoolSizes(sides),
		refusePreparation(sides), refuseDraw(sides), l.refuseSessions(sides), l.refuseNeeds(sides),
		refuseSlow(sides, r.atMost),
	} {
		if why != "" {
			return why
		}
	}
	return ""
}

// refuseSchedule refuses cells whose clients can't wait while the other's are at work.
func refuseSchedule(sides [2]pathCell) string {
	for _, s := range sides {
		switch {
		case s.Rate > 0:
			return "an open loop: its iterations are due at fixed moments"
		case s.Transactions > 0:
			return "fixed work: each client does it once and leaves"
		case s.FreshDatabase:
			return "a database made anew is new once"
		case s.InBlocks != "":
			return s.InBlocks
		case s.DrivenBy() != lesson.K6:
			return "pairs are of k6's clients, and these are in " + s.DrivenBy()
		}
	}
	return ""
}

// refuseMetric refuses metrics that slots don't show.
func refuseMetric(name string) string {
	if f, err := metric.Find(name); err == nil && f.Alternates() {
		return ""
	}
	return name + " is not seen slot by slot"
}

// refuseLinks refuses cells that want different settings on one link, which can have only one at a time.
func refuseLinks(sides [2]pathCell) string {
	for _, link := range sides[0].crossed() {
		switch {
		case !slices.Contains(sides[1].crossed(), link):
		case sides[0].Latency != sides[1].Latency:
			return "different latencies on one link, " + link
		case sides[0].BandwidthKBs != sides[1].BandwidthKBs:
			return "different bandwidths of one link, " + link
		}
	}
	if sides[0].ReplicationMS != sides[1].ReplicationMS {
		return "different latencies on replication"
	}
	return ""
}

// crossed are the links that lie in the cell's path.
func (s pathCell) crossed() []string {
	for _, over := range s.path.Over {
		if slices.Contains(over.Links, s.Link) {
			return over.Links
		}
	}
	return nil
}

// refuseSettings refuses cells of which one changes a component that the other goes through as well.
func refuseSettings(sides [2]pathCell) string {
	components := maps.Clone(sides[0].Settings)
	if components == nil {
		components = map[string]map[string]string{}
	}
	maps.Copy(components, sides[1].Settings)
	for _, name := range slices.Sorted(maps.Keys(components)) {
		a, b := sides[0].Settings[name], sides[1].Settings[name]
		both := sides[0].through(name) && sides[1].through(name) || len(a) > 0 && len(b) > 0
		if both && !maps.Equal(a, b) {
			return "different settings of " + name
		}
	}
	return ""
}

// refusePoolSizes refuses cells whose pooler is to have pools of two sizes at once.
func (l Room) refusePoolSizes(sides [2]pathCell) string {
	service := sides[0].path.PoolerService()
	if service == "" || service != sides[1].path.PoolerService() {
		return ""
	}
	a, b := l.poolSize(sides[0]), l.poolSize(sides[1])
	if a == b {
		return ""
	}
	return fmt.Sprintf("pools of %d and of %d in one %s", a, b, service)
}

// refusePreparation refuses cells for which the servers are prepared in different ways.
func refusePreparation(sides [2]pathCell) string {
	service := sides[0].path.PoolerService()
	switch {
	case sides[0].Writes != sides[1].Writes:
		return "the servers are prepared for writes of one cell alone"
	case service != "" && service == sides[1].path.PoolerService() && sides[0].FillPools != sides[1].FillPools:
		return "the pools of " + service + " are filled for one cell alone"
	}
	return ""
}

// fewestDrawn is how many sessions of a balancer make one draw of their nodes as good as another: of 20, each of two
// nodes has six at least in 96 of 100 draws, enough to keep it busy.
const fewestDrawn = 20

// refuseDraw refuses cells whose few sessions each stay on the node that was drawn for them: a pair draws once, and its
// groups would agree on what another draw refutes. Blocks draw anew each time.
func refuseDraw(sides [2]pathCell) string {
	for _, s := range sides {
		if n := s.Connections(); s.path.Balances && n < fewestDrawn {
			return fmt.Sprintf("%s draws the nodes of only %s, once a pair", s.path.PoolerService(), metric.Count(n, "session"))
		}
	}
	return ""
}

// refuseSlow refuses cells whose latency alone makes iterations too slow for slots: each takes a round trip at least.
// How many it takes, k6 finds out.
func refuseSlow(sides [2]pathCell, atMost float64) string {
	var slots [2]shared.SlotSide
	for i, s := range sides {
		slots[i] = shared.SlotSide{
			Name: "a round trip alone", Iteration: time.Duration(s.Latency.MS() * float64(time.Millisecond)),
		}
	}
	most := shared.Seconds(atMost)
	if _, err := shared.FitSlots(0, slots, outcome.FewestGroups, most); err != nil {
		return err.Error()
	}
	return ""
}
