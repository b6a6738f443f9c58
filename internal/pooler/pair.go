package pooler

import (
	"slices"
	"strings"

	"pooler-lab/internal/result"
)

// An Overhead is what servers commit for a load beside its clients' transactions.
type Overhead struct {
	parts  []part
	unsure int64 // how many of what is left may not be the clients' either
}

// Counts sets what a pooler and the servers counted during a load beside what k6 did. The servers are added up: a
// statement goes to one of them.
func Counts(p Pooler, u Use, l Load) []result.Count {
	counts := p.Counted(u, l)
	if len(l.Nodes) == 0 {
		return counts
	}
	l.Sessions = sessions(l.Nodes)
	return append(counts, commits("transactions", l.K6.Transactions, l.Nodes, p.Overhead(u, l)))
}

// A Side is one of two cells that load the servers in one k6.
type Side struct {
	Pooler Pooler
	Use    Use
	Load   Load // its nodes' counts hold what both sides did there
}

// PairCounts does what Counts does for two cells that loaded the servers together. What both reach counted the sum of
// both, and so it says; that is among the counts of both.
func PairCounts(sides [2]Side) (counts [2][]result.Count) {
	of, to := &sides[0], &sides[1]
	sum := add(of.Load.K6, to.Load.K6)
	if samePool(of, to) {
		both := of.Load
		both.K6 = sum
		both.Own.Connections += to.Load.Own.Connections
		both.Own.Statements += to.Load.Own.Statements
		for _, c := range of.Pooler.Counted(of.Use, both) {
			c.What = ofBoth + strings.TrimPrefix(c.What, "transactions")
			counts[0], counts[1] = append(counts[0], c), append(counts[1], c)
		}
	} else {
		for i, s := range sides {
			counts[i] = s.Pooler.Counted(s.Use, s.Load)
		}
	}
	if !slices.ContainsFunc(of.Use.Nodes, func(n string) bool { return slices.Contains(to.Use.Nodes, n) }) {
		for i, s := range sides {
			s.Load.Sessions = sessions(s.Load.Nodes)
			if len(s.Load.Nodes) > 0 {
				counts[i] = append(counts[i], commits("transactions", s.Load.K6.Transactions, s.Load.Nodes,
					s.Pooler.Overhead(s.Use, s.Load)))
			}
		}
		return counts
	}
	nodes := union(of.Load.Nodes, to.Load.Nodes)
	of.Load.Sessions, to.Load.Sessions = split(sides, sessions(nodes))
	c := commits(ofBoth, sum.Transactions, nodes, of.Pooler.Overhead(of.Use, of.Load).and(
		to.Pooler.Overhead(to.Use, to.Load)))
	counts[0], counts[1] = append(counts[0], c), append(counts[1], c)
	return counts
}

// ofBoth begins the name of a count that holds what both cells did.
const ofBoth = "transactions of both cells of the pair"

// samePool says whether both sides' transactions are in one count of a pooler.
func samePool(of, to *Side) bool { return of.Pooler == to.Pooler && of.Use.Database == to.Use.Database }

// split divides the sessions that the nodes counted. A client without a pooler opens one for each of its connections,
// and a pooler knows how many it holds; the other side opened the rest.
func split(sides [2]Side, total int64) (of, to int64) {
	of, ofKnown := sides[0].Pooler.Opened(sides[0].Use, sides[0].Load)
	to, toKnown := sides[1].Pooler.Opened(sides[1].Use, sides[1].Load)
	switch _, straight := sides[0].Pooler.(None); {
	case !ofKnown || !toKnown:
		return of, to
	case straight:
		return of, max(0, total-of)
	}
	return max(0, total-to), to
}

// commits sets the sum of the nodes' commits beside k6's count.
func commits(what string, k6 int64, nodes []Node, o Overhead) result.Count {
	var all int64
	var names []string
	for _, n := range nodes {
		all += n.Commits
		names = append(names, n.Name)
	}
	return unsure(count(what+", xact_commit of "+strings.Join(names, " and "), k6, all, o.parts...), o.unsure)
}

// and is the overhead of both; what they call alike is added up.
func (o Overhead) and(other Overhead) Overhead {
	sum := Overhead{parts: slices.Clone(o.parts), unsure: o.unsure + other.unsure}
	for _, p := range other.parts {
		if i := slices.IndexFunc(sum.parts, func(q part) bool { return q.what == p.what }); i >= 0 {
			sum.parts[i].n += p.n
		} else {
			sum.parts = append(sum.parts, p)
		}
	}
	return sum
}

func add(a, b result.Counted) result.Counted {
	return result.Counted{Transactions: a.Transactions + b.Transactions, Prepares: a.Prepares + b.Prepares,
		Connections: a.Connections + b.Connections, Silent: a.Silent + b.Silent, Explicit: a.Explicit + b.Explicit}
}

func sessions(nodes []Node) (all int64) {
	for _, n := range nodes {
		all += n.Sessions
	}
	return all
}

func union(a, b []Node) []Node {
	all := slices.Clone(a)
	for _, n := range b {
		if !slices.ContainsFunc(all, func(m Node) bool { return m.Name == n.Name }) {
			all = append(all, n)
		}
	}
	return all
}
