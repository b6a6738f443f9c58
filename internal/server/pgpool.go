package server

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/result"
	"pooler-lab/internal/topology"
)

// throughPgpool is what Pgpool-II says on the probe's own connection: that it is Pgpool-II, and which hosts its
// nodes are.
func (l *Lab) throughPgpool(ctx context.Context, j Journey, p *probe) ([]result.Fact, error) {
	version, err := p.askOne(ctx, "SHOW pool_version")
	if err != nil {
		return []result.Fact{fact("what answers SHOW pool_version", "an error: "+err.Error(), "Pgpool-II")}, nil
	}
	facts := []result.Fact{{What: "Pgpool-II's version", Said: version["pool_version"], Want: "any", Holds: version["pool_version"] != ""}}
	nodes, err := p.ask(ctx, "SHOW POOL_NODES")
	if err != nil {
		return facts, fmt.Errorf("ask Pgpool-II for its nodes: %w", err)
	}
	var hosts []string
	for _, n := range nodes {
		hosts = append(hosts, n["hostname"])
	}
	wanted := j.nodes()
	if j.proxied() {
		wanted = slices.Repeat([]string{topology.Proxy}, len(wanted))
	}
	return append(facts, fact("the list of Pgpool-II's nodes", strings.Join(hosts, ", "), strings.Join(wanted, ", "))), nil
}

// share is what Pgpool-II counted for one of its nodes since it started.
type share struct {
	node, role string
	selects    int64
}

func (l *Lab) pgpoolShares(ctx context.Context, j Journey) ([]share, error) {
	rows, err := l.pooler(j.entry()).ask(ctx, "SHOW POOL_BACKEND_STATS")
	if err != nil {
		return nil, err
	}
	var shares []share
	for i, r := range rows {
		n, err := strconv.ParseInt(strings.TrimSpace(r["select_cnt"]), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read Pgpool-II's select_cnt: %w", err)
		}
		name := r["hostname"]
		if nodes := j.nodes(); name == topology.Proxy && i < len(nodes) {
			name = nodes[i] // its hosts are all toxiproxy there; Prove has seen that they are in this order
		}
		shares = append(shares, share{name, strings.TrimSpace(r["role"]), n})
	}
	return shares, nil
}
