package pooler

import (
	"context"
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

// Prove asks whether the server process that answered the probe has Odyssey's server connection as its client, by the
// port: Odyssey doesn't know process IDs.
func (o *odyssey) Prove(ctx context.Context, u Use, through *session.Session, _ string) ([]result.Fact, error) {
	seen, err := through.AskOne(ctx, "SELECT inet_client_port() AS port")
	if err != nil {
		return nil, err
	}
	servers, err := o.console.Ask(ctx, "SHOW SERVERS")
	if err != nil {
		return nil, err
	}
	pools, databases, err := o.pools(ctx)
	if err != nil {
		return nil, err
	}
	server := session.Find(servers, "local_port", seen["port"])
	facts := []result.Fact{
		result.Expect("Odyssey's database of the connection that answered", server["database"], u.Database),
		result.Expect("the pool mode", poolOf(pools, u)["pool_mode"], u.Mode),
	}
	if u.PoolSize > 0 {
		size := session.Find(databases, "name", u.Database)["pool_size"]
		facts = append(facts, result.Expect("the size of the pool", size, strconv.Itoa(u.PoolSize)))
	}
	return facts, nil
}

// Counted is nothing: SHOW STATS misses some transactions of clients that disconnect after them (1.5.2).
func (*odyssey) Counted(Use, LoadCounts) []result.Count { return nil }

// Opened it can't tell: among the server connections that it shows may be some that the server has closed.
func (*odyssey) Opened(Use, LoadCounts) (int64, bool) { return 0, false }

// Emptied has nothing to wait for: it finds out that the server has closed a connection when a client needs one.
func (*odyssey) Emptied(context.Context, Use) error { return nil }

// odysseySettings is the file in which its start script finds what is to be otherwise than configured.
func odysseySettings() string { return filepath.Join(topology.NodesFolder(), "odyssey.settings") }

// Setting is what was applied, or what the configuration says. A rule's settings can be changed, those of all can't.
func (*odyssey) Setting(_ context.Context, name string) (string, error) {
	configured := filepath.Join(topology.Root(), "configs", odysseyKind.configuration)
	for _, file := range []string{odysseySettings(), configured} {
		text, err := os.ReadFile(file)
		if err != nil && file == configured {
			return "", err
		}
		rules := file != configured
		for line := range strings.Lines(string(text)) {
			rules = rules || strings.HasPrefix(line, "#rule")
			if fields := strings.Fields(line); rules && len(fields) == 2 && fields[0] == name {
				return strings.Trim(fields[1], `"`), nil
			}
		}
	}
	return "", fmt.Errorf("the rules in configs/%s have no such setting", odysseyKind.configuration)
}

// odysseyValue is what Odyssey takes without quotes.
var odysseyValue = regexp.MustCompile(`^[a-z0-9_]+$`)

// Apply has the start script write it into each rule.
func (o *odyssey) Apply(ctx context.Context, name, value string) error {
	if _, err := o.Setting(ctx, name); err != nil {
		return err
	}
	if !odysseyValue.MatchString(value) {
		return fmt.Errorf("it has to be a word or a number, not %q", value)
	}
	set, _ := os.ReadFile(odysseySettings()) // none before the first
	lines := name + " " + value + "\n"
	for line := range strings.Lines(string(set)) {
		if !strings.HasPrefix(line, name+" ") {
			lines += line
		}
	}
	return o.reload(ctx, lines)
}

// Reset makes it what its configuration says.
func (o *odyssey) Reset(ctx context.Context) error {
	if set, _ := os.ReadFile(odysseySettings()); len(set) == 0 {
		return nil
	}
	return o.reload(ctx, "")
}

// reload writes the settings, and waits until Odyssey has read its configuration again and the pools of before are gone.
// The start script adds a rule whose database is called after the settings.
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
	if at := session.Find(storages, "type", "remote")["host"]; at != primary+":5432" {
		return fmt.Errorf("it still sends to %s", at)
	}
	return nil
}
