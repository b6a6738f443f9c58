package server

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"pooler-lab/internal/result"
	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
)

// MaxConnections asks databases how many connections each takes. Where one doesn't tell, the reason stands in its
// place.
func (l *Servers) MaxConnections(ctx context.Context, databases []string) map[string]string {
	const column = "max_connections"
	return tell(databases, func(service string) (string, error) {
		return l.say(ctx, service, "SHOW "+column, column)
	})
}

// FreeConnections is how many connections each PostgreSQL node takes beside those that are neither of measured roles
// nor the lab's own. A node that doesn't tell isn't among them.
func (l *Servers) FreeConnections(ctx context.Context) map[string]int {
	const free = "SELECT current_setting('max_connections')::int - count(*) AS free FROM pg_stat_activity " +
		"WHERE backend_type = 'client backend' AND usename NOT IN ('lab', 'monitor', " + measured + ")"
	all := map[string]int{}
	for node, said := range tell(topology.Nodes(), func(service string) (string, error) {
		return l.say(ctx, service, free, "free")
	}) {
		if n, err := strconv.Atoi(said); err == nil {
			all[node] = n
		}
	}
	return all
}

// HugePages asks databases whether their shared memory is in huge pages: on or off. Where one doesn't tell, as before
// PostgreSQL 17, the reason stands in its place.
func (l *Servers) HugePages(ctx context.Context, databases []string) map[string]string {
	return tell(databases, func(service string) (string, error) {
		said, err := l.say(ctx, service, "SELECT current_setting('huge_pages_status', true) AS pages", "pages")
		if err == nil && said == "" {
			err = errors.New("this version doesn't tell")
		}
		return said, err
	})
}

// say is the column of a database's answer of one row.
func (l *Servers) say(ctx context.Context, database, sql, column string) (string, error) {
	n := l.nodes[database]
	if n == nil {
		return "", errors.New("nobody knows how to ask")
	}
	r, err := n.AskOne(ctx, sql)
	return r[column], err
}

// yugabyte is the name of YugabyteDB's service.
const yugabyte = "yugabyte"

// revokeTime is how long it may take to revoke the login that Logins has granted.
const revokeTime = 10 * time.Second

// Logins asks what a role's clients have to show where paths begin without latency, and puts those together that are
// asked for the same. The error is of letting the role in that has no password, or of taking that back.
func (l *Servers) Logins(ctx context.Context, role string, paths []topology.Path) (logins []result.Login, err error) {
	if role == topology.AppTrust { // whatever becomes of the rest, and where ctx has ended, too
		defer func() {
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeTime)
			defer cancel()
			if revoked := l.RevokeLogin(ending, standby); err == nil {
				err = revoked
			}
		}()
	}
	if err := l.GrantLogin(ctx, role, standby); err != nil {
		return nil, err
	}
	methods := map[topology.Endpoint]string{}
	for _, p := range paths {
		method, known := methods[p.Plain]
		if !known {
			if method, err = session.AsksFor(ctx, p.Plain.DSN(role)); err != nil {
				method, err = result.Unknown(err), nil
			}
			methods[p.Plain] = method
		}
		i := slices.IndexFunc(logins, func(l result.Login) bool { return l.Method == method })
		if i < 0 {
			i, logins = len(logins), append(logins, result.Login{Role: role, Method: method})
		}
		logins[i].Paths = append(logins[i].Paths, p.Name)
	}
	return logins, nil
}

// Versions asks every server of the paths for its version. Where one doesn't tell, the reason stands in its place.
func (l *Servers) Versions(ctx context.Context, services []string) map[string]string {
	return tell(services, func(service string) (string, error) { return l.version(ctx, service) })
}

// tell notes what each service says, and where it doesn't, 'unknown' and why.
func tell(services []string, ask func(service string) (string, error)) map[string]string {
	all := map[string]string{}
	for _, s := range services {
		said, err := ask(s)
		if err != nil {
			said = result.Unknown(err)
		}
		all[s] = said
	}
	return all
}

func (l *Servers) version(ctx context.Context, service string) (string, error) {
	if p := l.poolers[service]; p != nil {
		return p.Version(ctx)
	}
	version := "version()"
	if topology.IsNode(service) { // such as 17.11
		version = "split_part(current_setting('server_version'), ' ', 1)"
	}
	return l.say(ctx, service, "SELECT "+version+" AS version", "version")
}
