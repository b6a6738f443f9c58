package server

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"pooler-lab/internal/result"
)

// AskPooler returns how the journey's pooler is filled just now, all pools of measured connections together.
//
// Pgpool-II has a child for each client and lists them: MaxClients are those that serve one, PoolSize is how many
// there are. Clients beyond that wait in the kernel's backlog, which Pgpool-II can't see, and its backend connections
// would take a list several times as long: MaxWaiting and MaxWaitMS are nil, MaxServers stays 0.
func (l *Lab) AskPooler(ctx context.Context, j Journey) (result.Pooler, error) {
	if j.pgpool() {
		return l.askChildren(ctx, j.entry())
	}
	console := l.pooler(j.entry())
	pools, err := console.ask(ctx, "SHOW POOLS")
	if err != nil {
		return result.Pooler{}, err
	}
	databases, err := console.ask(ctx, "SHOW DATABASES")
	if err != nil {
		return result.Pooler{}, err
	}
	return sumPools(pools, find(databases, "name", j.Endpoint.DBName))
}

// The columns of SHOW POOLS that count clients, and those that count server connections; older versions of PgBouncer
// have fewer.
var (
	linked  = []string{"cl_active", "cl_waiting", "cl_active_cancel_req", "cl_waiting_cancel_req"}
	serving = []string{"sv_active", "sv_active_cancel", "sv_being_canceled", "sv_idle", "sv_used", "sv_tested", "sv_login"}
)

// sumPools adds up the pools of measured connections; the longest wait is that of one of them.
func sumPools(pools []row, database row) (result.Pooler, error) {
	var r numbers
	waiting, longest := 0, 0.0
	sum := result.Pooler{Samples: 1, PoolSize: r.of(database, "pool_size"), MaxWaiting: &waiting, MaxWaitMS: &longest}
	for _, p := range pools {
		if !slices.Contains(Roles(), p["user"]) {
			continue
		}
		for _, column := range linked {
			sum.MaxClients += r.of(p, column)
		}
		for _, column := range serving {
			sum.MaxServers += r.of(p, column)
		}
		waiting += r.of(p, "cl_waiting")
		longest = max(longest, 1000*float64(r.of(p, "maxwait"))+float64(r.of(p, "maxwait_us"))/1000)
	}
	return sum, r.err
}

// numbers reads whole numbers and keeps the first error.
type numbers struct{ err error }

// of is the number in a row's column, 0 where there is none.
func (n *numbers) of(r row, column string) int {
	text, has := r[column]
	if !has {
		return 0
	}
	v, err := strconv.Atoi(text)
	if err != nil && n.err == nil {
		n.err = fmt.Errorf("read %s: %w", column, err)
	}
	return v
}

// askChildren counts Pgpool-II's children.
func (l *Lab) askChildren(ctx context.Context, service string) (result.Pooler, error) {
	children, err := l.pooler(service).ask(ctx, "SHOW POOL_PROCESSES")
	sum := result.Pooler{Samples: 1, PoolSize: len(children)}
	for _, c := range children {
		if c["status"] != waiting && slices.Contains(Roles(), c["username"]) {
			sum.MaxClients++
		}
	}
	return sum, err
}
