package server

import (
	"context"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/result"
)

// A Beginning is what a path shows before its load.
type Beginning struct {
	Facts     []result.Fact // what the servers say of themselves, beside what they have to say
	RoundTrip *result.RoundTrip
	Tally     Tally // to be handed to Reconcile

	statements int64 // that showing this took
}

// Begin empties the path's pools, connects over it as a client would to see where it leads and how far that is,
// fills its pools where fill is set, and counts. Where a fact doesn't hold it stops there: Wrong says which.
//
// The probe itself counts too. Its backends are ended before the nodes are counted; those that a pooler keeps are
// counted with the load and taken out again, since it takes its time to let go of them.
func (l *Lab) Begin(ctx context.Context, p Path, fill bool) (Beginning, error) {
	one := []*beginning{{path: p, fill: fill}}
	err := l.begin(ctx, one)
	return one[0].Beginning, err
}

// BeginPair does what Begin does for two paths that are loaded together. Emptying a pool ends connections of the other
// path, too: so each step is taken on both before the next one.
func (l *Lab) BeginPair(ctx context.Context, paths [2]Path, fill [2]bool) (b [2]Beginning, err error) {
	var both []*beginning
	for i, p := range paths {
		both = append(both, &beginning{path: p, fill: fill[i]})
	}
	err = l.begin(ctx, both)
	return [2]Beginning{both[0].Beginning, both[1].Beginning}, err
}

// A beginning is one path of those that are to be loaded together.
type beginning struct {
	Beginning
	path Path
	fill bool
}

// wrong says whether the path doesn't lead where it should.
func (b *beginning) wrong() bool { return Wrong(b.Facts) != "" }

func (l *Lab) begin(ctx context.Context, all []*beginning) error {
	if err := l.beforeCounts(ctx, all); err != nil || anyWrong(all) {
		return err
	}
	if err := l.countAll(ctx, all); err != nil {
		return err
	}
	return l.afterCounts(ctx, all)
}

func anyWrong(all []*beginning) bool {
	for _, b := range all {
		if b.wrong() {
			return true
		}
	}
	return false
}

// beforeCounts proves the paths whose pooler lets go of the probe's connections before the count. A pooler that keeps
// them and has just started looks up what it wants to know of the probe's statements: before the count, not in it.
func (l *Lab) beforeCounts(ctx context.Context, all []*beginning) error {
	var proved []*beginning
	for _, b := range all {
		if !b.path.kind.KeepsServers {
			proved = append(proved, b)
			continue
		}
		first, err := l.probe(ctx, b.path)
		if err != nil {
			return err
		}
		first.Close()
	}
	if len(proved) == 0 {
		return nil
	}
	if err := l.clear(ctx, nodesOf(all)); err != nil {
		return err
	}
	for _, b := range proved {
		if err := l.pooler(b.path).Emptied(ctx, b.path.use()); err != nil {
			return err
		}
	}
	for _, b := range proved {
		if err := l.prove(ctx, b.path, &b.Beginning); err != nil || b.wrong() {
			return err
		}
	}
	return nil
}

func (l *Lab) countAll(ctx context.Context, all []*beginning) error {
	tallies, err := l.tally(ctx, pathsOf(all))
	if err != nil {
		return err
	}
	for i, b := range all {
		b.Tally = tallies[i]
	}
	return nil
}

// afterCounts proves the paths whose pooler keeps the probe's connections, and fills pools.
func (l *Lab) afterCounts(ctx context.Context, all []*beginning) error {
	for _, b := range all {
		if b.path.kind.KeepsServers || !b.path.postgreSQL() {
			continue
		}
		if err := l.pooler(b.path).Emptied(ctx, b.path.use()); err != nil {
			return err
		}
	}
	for _, b := range all {
		if !b.path.kind.KeepsServers {
			continue
		}
		if err := l.prove(ctx, b.path, &b.Beginning); err != nil || b.wrong() {
			return err
		}
		b.Tally.own = pooler.Own{Connections: 1, Statements: b.statements}
	}
	if err := l.fill(ctx, all); err != nil {
		return err
	}
	for _, b := range all {
		if !b.path.kind.KeepsServers {
			continue
		}
		var err error
		if b.Tally.pooler, err = l.pooler(b.path).Counters(ctx, b.path.use()); err != nil {
			return err
		}
	}
	return nil
}

// fill fills the pools that are to be filled, each once: two paths may have the same one.
func (l *Lab) fill(ctx context.Context, all []*beginning) error {
	filled := map[string]bool{}
	for _, b := range all {
		pool := b.path.PoolerService() + " " + b.path.DSN()
		if !b.fill || !b.path.kind.KeepsServers && !b.path.postgreSQL() || filled[pool] {
			continue
		}
		filled[pool] = true
		own, err := l.pooler(b.path).Fill(ctx, b.path.use())
		if err != nil {
			return err
		}
		b.Tally.own.Connections += own.Connections
		b.Tally.own.Statements += own.Statements
	}
	return nil
}

func pathsOf(all []*beginning) (paths []Path) {
	for _, b := range all {
		paths = append(paths, b.path)
	}
	return paths
}

// nodesOf are the nodes that any of the paths can reach, each once.
func nodesOf(all []*beginning) []string { return nodes(pathsOf(all)) }
