package pooler

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/result"
	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
)

// odysseyKind is Odyssey. Its console answers in PgBouncer's columns.
var odysseyKind = Kind{
	Name:          "odyssey",
	Title:         "Odyssey",
	Console:       topology.Endpoint{Port: 6432, DBName: "odyssey"},
	Version:       "SHOW VERSION",
	VersionColumn: "version",
	PoolSize:      "pool_size",
	configuration: "odyssey/odyssey.conf",
	mostClients:   "client_max",
	open:          func(s service) Pooler { return &odyssey{pgbouncer{s}} },
}

func init() { register(odysseyKind) }

// An odyssey is one Odyssey: a pgbouncer, but for what follows. Its settings change by its configuration, which its
// start script writes anew (images/odyssey), and it lets go of server connections by itself.
type odyssey struct{ pgbouncer }

// Prove asks whether Odyssey has the server connection that answered the probe, by its port: Odyssey doesn't know
// process IDs. A session pool keeps it for the probe between two statements, and a transaction pool doesn't. Odyssey
// calls a database by its name at the server, the same in both pools.
func (o *odyssey) Prove(ctx context.Context, u Use, through *session.Session, _ string) ([]result.Fact, error) {
	seen, err := through.AskOne(ctx, "SELECT inet_client_port() AS port")
	if err != nil {
		return nil, err
	}
	servers, err := o.console.Ask(ctx, "SHOW SERVERS")
	if err != nil {
		return nil, err
	}
	between := map[string]string{"session": "active", "transaction": "idle"}[u.Mode]
	facts := []result.Fact{result.Expect("the state of Odyssey's server connection between two statements",
		session.Find(servers, "local_port", seen["port"])["state"], between)}
	if u.PoolSize > 0 {
		_, databases, err := o.pools(ctx)
		if err != nil {
			return nil, err
		}
		size := session.Find(databases, "database", u.Database)["pool_size"]
		facts = append(facts, result.Expect("the size of the pool", size, strconv.Itoa(u.PoolSize)))
	}
	return facts, nil
}

// Settle waits until Odyssey has reset the server connections that its last clients left.
func (o *odyssey) Settle(ctx context.Context, u Use) error {
	return until(ctx, "Odyssey to reset its server connections", func() (bool, error) {
		pools, err := o.console.Ask(ctx, "SHOW POOLS")
		busy := func(p session.Row) bool {
			return p["user"] == u.Role && p["pool_mode"] == u.Mode && p["sv_active"] != "0"
		}
		return err == nil && !slices.ContainsFunc(pools, busy), err
	})
}

// Sample is a PgBouncer's.
func (o *odyssey) Sample(ctx context.Context, u Use) (result.Pooler, error) {
	pools, databases, err := o.pools(ctx)
	if err != nil {
		return result.Pooler{}, err
	}
	return o.sum(pools, session.Find(databases, "database", u.Database))
}

// Counters are none: SHOW STATS misses some transactions of clients that disconnect after them (1.5.2), and among the
// server connections that Odyssey shows may be some that the server has closed.
func (*odyssey) Counters(context.Context, Use) (Counters, error) { return Counters{}, nil }

// Counted is nothing, either.
func (*odyssey) Counted(Use, LoadCounts) []result.Count { return nil }

// Opened it can't tell.
func (*odyssey) Opened(Use, LoadCounts) (int64, bool) { return 0, false }

// Emptied has nothing to wait for: it finds out that the server has closed a connection when a client needs one.
func (*odyssey) Emptied(context.Context, Use) error { return nil }

// odysseySettings is the file in which its start script finds what is to be otherwise than configured.
func odysseySettings() string { return filepath.Join(topology.NodesFolder(), "odyssey.settings") }

// Setting is what was applied, or what the configuration says of all rules. What it says of one kind of pool can't be
// changed.
func (o *odyssey) Setting(_ context.Context, name string) (string, error) {
	if value, ok := valueIn(appliedToOdyssey(), name); ok {
		return value, nil
	}
	return o.configured(name)
}

// configured is what the part of the configuration says that all rules have.
func (*odyssey) configured(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(topology.Root(), "configs", odysseyKind.configuration))
	if err != nil {
		return "", err
	}
	_, rules, _ := strings.Cut(string(text), "\n#rule\n")
	rules, _, _ = strings.Cut(rules, "\n#rule")
	value, ok := valueIn(rules, name)
	if !ok {
		return "", fmt.Errorf("the rules in configs/%s have no such setting in common", odysseyKind.configuration)
	}
	return value, nil
}

// valueIn is the value in the line of a text that gives one to name.
func valueIn(text, name string) (value string, ok bool) {
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == name {
			return fields[1], true
		}
	}
	return "", false
}

// appliedToOdyssey is what is to be otherwise than configured; a line for each setting.
func appliedToOdyssey() string {
	text, _ := os.ReadFile(odysseySettings()) // there is none before the first
	return string(text)
}

// odysseyValue is what Odyssey takes without quotes.
var odysseyValue = regexp.MustCompile(`^[a-z0-9_]+$`)

// Apply has the start script write it into each rule.
func (o *odyssey) Apply(ctx context.Context, name, value string) error {
	configured, err := o.configured(name)
	if err != nil {
		return err
	}
	if !odysseyValue.MatchString(value) {
		return fmt.Errorf("it has to be a word or a number, not %q", value)
	}
	lines := ""
	if value != configured {
		lines = name + " " + value + "\n"
	}
	for line := range strings.Lines(appliedToOdyssey()) {
		if !strings.HasPrefix(line, name+" ") {
			lines += line
		}
	}
	return o.reload(ctx, lines)
}

// Reset makes it what its configuration says.
func (o *odyssey) Reset(ctx context.Context) error {
	if appliedToOdyssey() == "" {
		return nil
	}
	return o.reload(ctx, "")
}

// reload writes the settings, and waits until Odyssey has read its configuration again and the pools of before are
// gone. The start script adds a rule whose database is called after the settings.
func (o *odyssey) reload(ctx context.Context, lines string) error {
	if err := result.WriteFile(odysseySettings(), []byte(lines)); err != nil {
		return err
	}
	size, err := o.Setting(ctx, odysseyKind.PoolSize)
	if err != nil {
		return err
	}
	called := "settings " + strings.ReplaceAll(strings.TrimSpace(lines), "\n", ", ")
	return until(ctx, "Odyssey to read its configuration again", func() (bool, error) {
		rules, err := o.console.Ask(ctx, "SHOW RULES")
		if err != nil || session.Find(rules, "database", called) == nil {
			return false, err
		}
		databases, err := o.console.Ask(ctx, "SHOW DATABASES")
		former := func(d session.Row) bool { return d["host"] != "" && d["pool_size"] != size }
		return err == nil && !slices.ContainsFunc(databases, former), err
	})
}

// CloseIdle is nothing that Odyssey can be asked for.
func (*odyssey) CloseIdle(context.Context) error { return nil }

// HoldsBack says that it isn't asked to: its PAUSE ends the sessions of session pools.
func (*odyssey) HoldsBack() bool { return false }

// Pause does nothing: see HoldsBack.
func (*odyssey) Pause(context.Context) error { return nil }

// Resume has nothing to let go.
func (*odyssey) Resume(context.Context) (bool, error) { return false, nil }

// Follows looks at the host of Odyssey's servers. Its start script changes it.
func (o *odyssey) Follows(ctx context.Context, primary string) error {
	storages, err := o.console.Ask(ctx, "SHOW STORAGES")
	if err != nil {
		return err
	}
	if session.Find(storages, "host", primary+":5432") == nil {
		return errors.New("it still sends to the other node")
	}
	return nil
}
