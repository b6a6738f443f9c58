package pooler

import (
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/result"
)

// A Side is one of a trial's cells, as its pooler and the servers counted it.
type Side struct {
	Pooler Pooler
	Use    Use
	Load   LoadCounts // its nodes' counts hold what all sides did there
}

// Counts sets what poolers and servers counted during a trial beside what k6 did, for each side. What both sides reach
// counted their sum, and so it says: that is among the counts of both. The servers of a side are added up, since a
// statement goes to one of them.
func Counts(sides []Side) [][]result.Count {
	sides = slices.Clone(sides)
	counts := make([][]result.Count, len(sides))
	note := func(of []int, all ...result.Count) {
		for _, c := range all {
			if len(of) > 1 {
				c.What = "transactions of both cells of the pair" + strings.TrimPrefix(c.What, "transactions")
			}
			for _, i := range of {
				counts[i] = append(counts[i], c)
			}
		}
	}
	for _, of := range sharing(sides, samePool) {
		first := sides[of[0]]
		for _, i := range of[1:] {
			first.Load.K6 = first.Load.K6.And(sides[i].Load.K6)
			first.Load.Own.Connections += sides[i].Load.Own.Connections
			first.Load.Own.Statements += sides[i].Load.Own.Statements
		}
		note(of, first.Pooler.Counted(first.Use, first.Load)...)
	}
	for _, of := range sharing(sides, sameNodes) {
		nodes := nodesOf(sides, of)
		if len(nodes) == 0 {
			continue
		}
		divide(sides, of, nodes)
		var k6 result.Counted
		var overhead Overhead
		for _, i := range of {
			k6 = k6.And(sides[i].Load.K6)
			overhead = overhead.and(sides[i].Pooler.Overhead(sides[i].Use, sides[i].Load))
		}
		note(of, commits(k6.Transactions, nodes, overhead))
	}
	return counts
}

// sharing are the indexes of the sides, those together that share something.
func sharing(sides []Side, share func(a, b *Side) bool) (all [][]int) {
	for i := range sides {
		at := slices.IndexFunc(all, func(of []int) bool { return share(&sides[of[0]], &sides[i]) })
		if at < 0 {
			at, all = len(all), append(all, nil)
		}
		all[at] = append(all[at], i)
	}
	return all
}

// samePool says whether both sides' transactions are in one count of a pooler.
func samePool(a, b *Side) bool { return a.Pooler == b.Pooler && a.Use.Database == b.Use.Database }

// sameNodes says whether both sides' transactions are in one count of a server.
func sameNodes(a, b *Side) bool {
	return slices.ContainsFunc(a.Use.Nodes, func(n string) bool { return slices.Contains(b.Use.Nodes, n) })
}

// nodesOf are the nodes of some sides, each once.
func nodesOf(sides []Side, of []int) (all []NodeCounters) {
	for _, i := range of {
		for _, n := range sides[i].Load.Nodes {
			if !slices.ContainsFunc(all, func(m NodeCounters) bool { return m.Name == n.Name }) {
				all = append(all, n)
			}
		}
	}
	return all
}

// divide says which of the sessions that the nodes counted each side opened. A client without a pooler opens one for
// each of its connections, and a pooler knows how many it holds; the other side opened the rest.
func divide(sides []Side, of []int, nodes []NodeCounters) {
	var total int64
	for _, n := range nodes {
		total += n.Sessions
	}
	if len(of) == 1 {
		sides[of[0]].Load.Sessions = total
		return
	}
	a, b := &sides[of[0]], &sides[of[1]]
	opened, known := a.Pooler.Opened(a.Use, a.Load)
	others, othersKnown := b.Pooler.Opened(b.Use, b.Load)
	if known && othersKnown {
		if _, straight := a.Pooler.(None); straight {
			others = max(0, total-opened)
		} else {
			opened = max(0, total-others)
		}
	}
	a.Load.Sessions, b.Load.Sessions = opened, others
}

// An Overhead is what servers commit for a load beside its clients' transactions.
type Overhead struct {
	less   []deduction
	unsure int64 // how many of what is left may not be the clients' either
}

// and is the overhead of both; what they call alike is added up.
func (o Overhead) and(other Overhead) Overhead {
	sum := Overhead{less: slices.Clone(o.less), unsure: o.unsure + other.unsure}
	for _, p := range other.less {
		if i := slices.IndexFunc(sum.less, func(q deduction) bool { return q.what == p.what }); i >= 0 {
			sum.less[i].n += p.n
		} else {
			sum.less = append(sum.less, p)
		}
	}
	return sum
}

// commits sets the sum of the nodes' commits beside k6's count.
func commits(k6 int64, nodes []NodeCounters, o Overhead) result.Count {
	var all int64
	var names []string
	for _, n := range nodes {
		all += n.Commits
		names = append(names, n.Name)
	}
	c := count("transactions, xact_commit of "+strings.Join(names, " and "), k6, all, o.less...)
	c.Unsure = o.unsure
	c.Equal = c.K6 <= c.Server && c.Server <= c.K6+c.Unsure
	return c
}

// A deduction is what of a server's count isn't clients' transactions.
type deduction struct {
	what string
	n    int64
}

// count sets k6's count beside a server's, less what is to be deducted.
func count(what string, k6, server int64, less ...deduction) result.Count {
	raw := server
	var names []string
	for _, p := range less {
		if p.n != 0 {
			server -= p.n
			names = append(names, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return result.Count{
		What: what, K6: k6, Raw: raw, Server: server, Less: strings.Join(names, ", "), Equal: k6 == server,
	}
}

// Since is how many SELECTs each server got between two readings of a pooler's counters.
func (c Counters) Since(before Counters) []result.Share {
	var shares []result.Share
	for i, s := range c.Selects {
		if i < len(before.Selects) {
			s.Selects -= before.Selects[i].Selects
		}
		shares = append(shares, s)
	}
	return shares
}
