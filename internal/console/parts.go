package console

import (
	"context"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"pooler-lab/internal/console/api"
	"pooler-lab/internal/link"
)

// parts are what a console consists of once the lab is ready.
type parts struct {
	*Console
	source   *Source
	links    *linkWatch
	readings *readings
	lock     *lock
	load     *load
	wake     *pulse // wakes probes: a link has been changed, or somebody begins to watch
	names    []string
	waits    []string // databases whose waits are shown

	runs *runCache

	mu            sync.Mutex
	lessonProcess *lessonProcess // the console's own lesson, nil where none runs
	lastRun       *api.LastRun
	terminalRun   string // of a terminal, under way when somebody last asked

	running sync.WaitGroup
}

func newParts(c *Console, s *Source) *parts {
	p := &parts{
		Console:  c,
		source:   s,
		links:    newLinkWatch(s.Links, s.Set.LinkNames()),
		readings: newReadings(),
		lock:     newLock(),
		wake:     newPulse(),
		runs:     &runCache{read: map[string]runRead{}},
	}
	p.load = newLoad(s, c.root, c.log)
	p.names = append([]string{"client"}, services(s.Set)...)
	for _, w := range s.Waits {
		p.waits = append(p.waits, w.Node())
	}
	p.lastRun = p.interruptedRun()
	return p
}

// run looks and tells until ctx ends.
func (p *parts) run(ctx context.Context) {
	p.startProbes(ctx)
	p.running.Go(func() { p.load.supervise(ctx) })
	p.running.Go(func() { every(ctx, lockEvery, p.checkLock) })
	every(ctx, beat, func() { p.second(ctx) })
	p.running.Wait()
}

// every calls do now and each interval until ctx ends.
func every(ctx context.Context, interval time.Duration, do func()) {
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

// checkLock looks whether something measures, and has the live load pause while it does.
func (p *parts) checkLock() {
	what, underWay := p.source.UnderWay()
	if p.lock.note(what) {
		p.wake.beat()
	}
	if !underWay {
		p.endTerminalRun()
	}
	p.load.pause(p.lock.text())
}

// second is one beat: what is known goes to all pages. Without anybody who watches nothing is done.
func (p *parts) second(ctx context.Context) {
	if !p.watched() {
		return
	}
	p.load.endUnwatched(p.hub.unwatchedSince())
	if p.lock.text() == "" {
		p.links.refresh(ctx)
	}
	state := p.state()
	paths, gap := p.load.take()
	last := api.Tick{Time: state.Time, Paths: paths, Links: map[string]*float64{}, Gap: gap}
	for _, l := range state.Links {
		last.Links[l.Name] = l.MeasuredMS
	}
	if err := p.hub.tell(state, last, p.links.take()); err != nil {
		p.log.Print(err)
	}
}

// state puts together what is known.
func (p *parts) state() api.State {
	s := api.State{
		Time:      time.Now().UTC().Round(time.Millisecond),
		Version:   version(),
		Toxiproxy: p.links.reachable(),
		Links:     p.linkStates(),
		Nodes:     p.nodeStates(),
		Load:      p.load.describe(),
		Lock:      p.lock.text(),
		Waits:     p.readings.waiting(p.waits),
		Presets:   p.source.Presets,
	}
	s.Lesson, s.LastRun = p.lessonState()
	for i, l := range s.Links {
		if l.Name == link.ReplicationLink {
			s.Links[i].Replication = p.replication(s.Nodes)
		}
	}
	return s
}

// nodeStates are all nodes as they are: the client, poolers, databases.
func (p *parts) nodeStates() []api.Node {
	nodes := map[string]*api.Node{}
	for _, name := range p.names {
		node := &api.Node{Name: name, Kind: "database", State: api.Unknown, Reason: notMeasuredYet}
		switch {
		case name == "client":
			node.Kind, node.State, node.Reason = "client", api.Up, ""
		case p.source.Set.PoolerKind(name) != "":
			node.Kind = "pooler"
		}
		if off := p.offReason(name); off != "" {
			node.State, node.Reason = api.Off, off
		} else if text := p.lock.text(); text != "" && name != "client" {
			node.Reason = "paused: " + text
		}
		nodes[name] = node
	}
	if p.lock.text() == "" {
		p.readings.fill(nodes)
	}
	var all []api.Node
	for _, name := range p.names {
		all = append(all, *nodes[name])
	}
	return all
}

// offReason says why a service isn't part of this lab, "" where it is: then some path through it is available.
func (p *parts) offReason(service string) string {
	reason := ""
	for _, way := range p.source.Set.Paths {
		if !slices.Contains(way.Services, service) {
			continue
		}
		if way.Unavailable() == "" {
			return ""
		}
		reason = way.Unavailable()
	}
	return reason
}

// replication says where the standby gets its WAL from.
func (p *parts) replication(nodes []api.Node) string {
	i := slices.IndexFunc(nodes, func(n api.Node) bool { return n.Name == "standby" })
	if i < 0 || nodes[i].Conninfo == "" {
		return "unknown: the standby hasn't told"
	}
	return p.source.Links.Replicates(nodes[i].Conninfo)
}

// version is the program's, as far as it knows.
var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(len(s.Value), 12)]
		}
	}
	return strings.Trim(info.Main.Version, "()")
})
