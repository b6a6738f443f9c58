package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
)

// Wrong says in a sentence which fact doesn't hold, "" where all do.
func Wrong(facts []result.Fact) string {
	for _, f := range facts {
		if !f.Holds {
			return fmt.Sprintf("the path doesn't lead where it says: %s is %s, it had to be %s",
				f.What, cmp.Or(f.Said, "nothing"), cmp.Or(f.Want, "nothing"))
		}
	}
	return ""
}

// facts are what the path's database and its pooler say of the probe.
func (l *Servers) facts(ctx context.Context, path Route, p *probe) ([]result.Fact, error) {
	facts, err := l.database(ctx, path, p)
	if err != nil || !path.pooled() {
		return facts, err
	}
	use := path.use()
	use.ClientAddresses = []string{p.LocalAddress()}
	if path.At.Host == topology.Proxy {
		if use.ClientAddresses, err = addresses(topology.Proxy); err != nil {
			return facts, err
		}
	}
	last := path.Services[len(path.Services)-1]
	if path.proxied() {
		last = topology.Proxy
	}
	if use.ServerAddresses, err = addresses(last); err != nil {
		return facts, err
	}
	more, err := l.pooler(path).Prove(ctx, use, p.Session, p.said["pid"])
	return append(facts, more...), err
}

// database is what the database at the end of the path says: which one it is, and who its client is.
func (l *Servers) database(ctx context.Context, path Route, p *probe) ([]result.Fact, error) {
	wanted, err := l.clientOfDatabase(path, p)
	if err != nil {
		return nil, err
	}
	facts := []result.Fact{result.Expect("the client's address as the database sees it", p.said["client"], wanted...)}
	if !path.postgreSQL() {
		kind := "PostgreSQL"
		if strings.Contains(p.said["version"], "-YB-") {
			kind = "YugabyteDB"
		}
		return append(facts, result.Expect("the kind of database that version() tells of", kind, "YugabyteDB")), nil
	}
	// A cluster is given it at birth and shares it with its standbys alone.
	identifier, err := l.say(ctx, primary, "SELECT system_identifier FROM pg_control_system()", "system_identifier")
	if err != nil {
		return facts, err
	}
	return append(facts,
		result.Expect("the cluster's system identifier", p.said["identifier"], identifier),
		result.Expect("whether the server is in recovery", p.said["recovery"], path.recovery()...)), nil
}

// recovery is what the servers that p leads to answer to pg_is_in_recovery(). A path to several nodes that doesn't
// spread reads over them leads to the primary.
func (p Route) recovery() (answers []string) {
	if slices.Contains(p.Nodes(), primary) {
		answers = append(answers, "f")
	}
	if p.Balances || answers == nil {
		answers = append(answers, "t")
	}
	return answers
}

// clientOfDatabase returns the addresses that the database may see as its client's: toxiproxy's where the last
// hop is a link, those of the pooler or proxy where there is one, otherwise the lab's own, and none for a Unix socket.
func (l *Servers) clientOfDatabase(path Route, p *probe) ([]string, error) {
	switch {
	case path.At.Socket():
		return []string{""}, nil
	case path.proxied():
		return addresses(topology.Proxy)
	case !topology.IsDatabase(path.Services[0]):
		return addresses(path.Services[0])
	}
	return []string{p.LocalAddress()}, nil
}
