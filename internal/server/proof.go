package server

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
)

// fact notes that what was said, and that it had to be one of wanted.
func fact(what, said string, wanted ...string) result.Fact {
	return result.Fact{What: what, Said: said, Want: strings.Join(wanted, " or "), Holds: slices.Contains(wanted, said)}
}

// Wrong says in a sentence which fact doesn't hold, "" where all do.
func Wrong(facts []result.Fact) string {
	for _, f := range facts {
		if !f.Holds {
			return fmt.Sprintf("the path doesn't lead where it says: %s is %s, it had to be %s", f.What, named(f.Said), named(f.Want))
		}
	}
	return ""
}

func named(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

func (l *Lab) facts(ctx context.Context, j Journey, p *probe) ([]result.Fact, error) {
	facts, err := l.database(ctx, j, p)
	if err != nil {
		return facts, err
	}
	var more []result.Fact
	switch {
	case j.pgbouncer():
		more, err = l.throughPgBouncer(ctx, j, p)
	case j.pgpool():
		more, err = l.throughPgpool(ctx, j, p)
	}
	return append(facts, more...), err
}

// database is what the database at the end of the journey says: which one it is, and who its client is.
func (l *Lab) database(ctx context.Context, j Journey, p *probe) ([]result.Fact, error) {
	wanted, err := l.clientOfDatabase(j, p)
	if err != nil {
		return nil, err
	}
	facts := []result.Fact{fact("the client's address as the database sees it", p.client, wanted...)}
	if j.yugabyte() {
		kind := "PostgreSQL"
		if strings.Contains(p.version, "-YB-") {
			kind = "YugabyteDB"
		}
		return append(facts, fact("the kind of database that version() tells of", kind, "YugabyteDB")), nil
	}
	identifier, err := l.nodes[primary].SystemIdentifier(ctx)
	if err != nil {
		return facts, err
	}
	facts = append(facts, fact("the cluster's system identifier", p.identifier, identifier))
	return append(facts, fact("whether the server is in recovery", p.recovery, j.recovery()...)), nil
}

// recovery is what the servers that j can reach answer to pg_is_in_recovery().
func (j Journey) recovery() []string {
	var answers []string
	for _, n := range j.nodes() {
		answers = append(answers, map[string]string{primary: "f", standby: "t"}[n])
	}
	return answers
}

// clientOfDatabase returns the addresses that the database may see as its client's: toxiproxy's where the last
// hop is a link, the pooler's where there is one, otherwise the lab's own, and none for a Unix socket.
func (l *Lab) clientOfDatabase(j Journey, p *probe) ([]string, error) {
	switch {
	case j.Endpoint.Socket():
		return []string{""}, nil
	case j.proxied():
		return addresses(topology.Proxy)
	case j.pooled():
		return addresses(j.entry())
	}
	return []string{p.localAddress()}, nil
}

// clientOfPooler returns the addresses that a pooler may see as its client's.
func clientOfPooler(j Journey, p *probe) ([]string, error) {
	if j.Endpoint.Host == topology.Proxy {
		return addresses(topology.Proxy)
	}
	return []string{p.localAddress()}, nil
}
