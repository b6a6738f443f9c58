package console

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"pooler-lab/internal/fault"
	"pooler-lab/internal/link"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
)

// parts are what a console consists of once the lab is ready.
type parts struct {
	*Console
	until  context.Context // ends when the console does
	source *source
	links  *linkWatch
	trips  readings[roundTrip] // over links
	nodes  readings[nodeReading]
	waits  readings[result.Node]
	lock   *lock
	load   *load
	faults faults
	wake   *pulse   // wakes probes: a link has been changed, or somebody begins to watch
	names  []string // of the nodes

	handler http.Handler

	reading sync.Mutex
	read    map[string]runRead // runs of results, by folder
}

func newParts(ctx context.Context, c *Console, s *source) *parts {
	p := &parts{
		Console: c,
		until:   ctx,
		source:  s,
		links:   newLinkWatch(s.Links, s.Set.LinkNames()),
		lock:    newLock(ctx, c.results(), c.log),
		wake:    newPulse(),
		read:    map[string]runRead{},
	}
	p.load = newLoad(s, c.root, c.log)
	p.names = append([]string{"client"}, services(s.Set)...)
	p.handler = p.routes()
	return p
}

// run starts what looks and tells until the console ends.
func (p *parts) run() {
	p.startProbes()
	p.running.Go(func() { p.load.supervise(p.until) })
	p.running.Go(func() { shared.Every(p.until, lockEvery, p.checkLock) })
	p.running.Go(func() { shared.Every(p.until, beat, p.second) })
}

// checkLock looks whether something measures, and has the live load pause while it does.
func (p *parts) checkLock() {
	if p.lock.look() {
		p.wake.beat()
	}
	p.load.pause(p.lock.text())
}

// second is one beat: what is known goes to all pages. Without anybody who watches nothing is done.
func (p *parts) second() {
	switch {
	case p.hub.watched():
	case p.load.is(LoadOff):
		return
	default:
		p.load.replace(nil, "it ended by itself: nobody had watched it for a minute")
	}
	if p.lock.text() == "" {
		p.links.refresh(p.until)
	}
	paths, gap := p.load.take()
	state := p.state()
	swaps := append(p.links.take(), p.faults.take(state.Time)...)
	if err := p.hub.tell(state, Tick{Time: state.Time, Paths: paths, Gap: gap}, swaps); err != nil {
		p.log.Print(err)
	}
}

// state puts together what is known.
func (p *parts) state() State {
	s := State{
		Time:      time.Now().UTC().Round(time.Millisecond),
		Toxiproxy: p.links.reachable(),
		Links:     p.linkStates(),
		Nodes:     p.nodeStates(),
		Load:      p.load.describe(),
		Lock:      p.lock.text(),
		Waits:     []result.Node{},
	}
	s.Lesson, s.LastRun = p.lock.lesson()
	s.LastRun = p.outcome(s.LastRun)
	for _, name := range p.names {
		if p.source.Waits[name] == nil {
			continue
		}
		waits, ok := p.waits.of(name)
		if !ok {
			waits = result.Node{Service: name, NotMeasured: notMeasuredYet}
		}
		s.Waits = append(s.Waits, waits)
	}
	for i, l := range s.Links {
		if l.Name == link.ReplicationLink {
			s.Links[i].Replication = p.replication(s.Nodes)
		}
	}
	return s
}

// nodeStates are all nodes as they are: the client, poolers, databases.
func (p *parts) nodeStates() []Node {
	nodes := map[string]*Node{}
	for _, name := range p.names {
		node := &Node{Name: name, Kind: "database", State: Unknown, Reason: notMeasuredYet}
		switch {
		case name == "client":
			node.Kind, node.State, node.Reason = "client", Up, ""
		case p.source.Set.PoolerKind(name) != "":
			node.Kind = "pooler"
		}
		if off := p.offReason(name); off != "" {
			node.State, node.Reason = Off, off
		} else if text := p.lock.text(); text != "" && name != "client" {
			node.Reason = "paused: " + text
		}
		nodes[name] = node
	}
	if p.lock.text() == "" {
		p.fill(nodes)
	}
	var all []Node
	for _, name := range p.names {
		all = append(all, *nodes[name])
	}
	return all
}

// fill writes what is known into nodes that are part of the lab.
func (p *parts) fill(nodes map[string]*Node) {
	for name, node := range nodes {
		seen, known := p.nodes.of(name)
		switch {
		case !known || node.State == Off:
		case seen.apply == nil:
			node.State, node.Reason = Down, seen.reason
		default:
			node.State, node.Reason = Up, ""
			seen.apply(nodes)
		}
	}
	for _, name := range topology.Nodes() {
		if f, broken := fault.Find(name); broken && nodes[name] != nil {
			nodes[name].State, nodes[name].Reason = Down, f.String()
		}
	}
}

// offReason says why a service isn't part of this lab, "" where it is: then some path through it is available.
func (p *parts) offReason(service string) string {
	reason := ""
	for _, way := range p.source.Set.Paths {
		if !slices.Contains(way.Services, service) {
			continue
		}
		if way.Unavailable == "" {
			return ""
		}
		reason = way.Unavailable
	}
	return reason
}

// replication says where the standby gets its WAL from.
func (p *parts) replication(nodes []Node) string {
	i := slices.IndexFunc(nodes, func(n Node) bool { return n.Name == "standby" })
	if i < 0 || nodes[i].Conninfo == "" {
		return "unknown: the standby hasn't told"
	}
	return p.source.Links.Replicates(nodes[i].Conninfo)
}
