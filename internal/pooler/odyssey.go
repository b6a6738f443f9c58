package pooler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/result"
	"pooler-lab/internal/session"
	"pooler-lab/internal/shared"
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
	NoticesLate:   true,
	configuration: "odyssey/odyssey.conf",
	mostClients:   "client_max",
	open:          func(s service) Pooler { return &odyssey{pgbouncer{s}} },
}

func init() { register(odysseyKind) }

// An odyssey is one Odyssey: a pgbouncer, but for what follows. Its settings change by its configuration, which its
// start script writes anew (images/odyssey), and it lets go of server connections by itself.
type odyssey struct{ pgbouncer }

// letsGo is how long a server connection may take to be idle after a transaction: its end comes before the pool knows.
const letsGo = 5 * time.Second

// Prove asks whether Odyssey has the server connection that answered the probe, by its port: Odyssey doesn't know
// process IDs. A session pool keeps it for the probe between two statements, and a transaction pool doesn't. Odyssey
// calls a database by its name at the server, the same in both pools.
func (o *odyssey) Prove(ctx context.Context, u Use, through *session.Session, _ string) ([]result.Fact, error) {
	probe, err := through.AskOne(ctx, "SELECT inet_client_port() AS port")
	if err != nil {
		return nil, err
	}
	between := map[string]string{"session": "active", "transaction": "idle"}[u.Mode]
	var state string
	err = shared.Until(ctx, letsGo, 10*time.Millisecond, func() (bool, error) {
		servers, err := o.console.Ask(ctx, "SHOW SERVERS")
		state = session.Find(servers, "local_port", probe["port"])["state"]
		return state == between, err
	})
	if err != nil && state == "" {
		return nil, err
	}
	facts := []result.Fact{
		result.Expect("the state of Odyssey's server connection between two statements", state, between),
	}
	if u.PoolSize == 0 {
		return facts, nil
	}
	_, databases, err := o.pools(ctx)
	return append(facts, sizeOf(session.Find(databases, "database", u.Database), u)), err
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
	return o.sample(ctx, "database", u)
}

// Counters are none: SHOW STATS misses some transactions of clients that disconnect after them (1.5.2), and among the
// server connections that Odyssey shows may be some that the server has closed.
func (*odyssey) Counters(context.Context, Use) (Counters, error) { return Counters{}, nil }

// Counted is nothing, either.
func (*odyssey) Counted(Use, LoadCounts) []result.Count { return nil }

// Opened it can't tell.
func (*odyssey) Opened(Use, LoadCounts) (int64, bool) { return 0, false }

// Emptied has it find out that the server has ended the pool's connections.
func (o *odyssey) Emptied(ctx context.Context, u Use) error {
	_, err := o.Fill(ctx, u)
	return err
}

// Fill asks until an answer comes. Odyssey tries connections that the server has ended before it opens one: where it is
// about to set a parameter on such a connection, it ends the client's, too.
func (o *odyssey) Fill(ctx context.Context, u Use) (own Own, err error) {
	late := until(ctx, "Odyssey to find out which server connections have ended", func() (bool, error) {
		own, err = o.pgbouncer.Fill(ctx, u)
		return !hadEnded(err), nil
	})
	return own, cmp.Or(err, late)
}

// hadEnded says whether err is what a client gets over a server connection that the server has ended: the end of its
// own, or what the server said.
func hadEnded(err error) bool {
	var said *pgconn.PgError
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &said) && said.Code == "57P01"
}

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
	return o.restart(ctx, lines)
}

// Reset makes it what its configuration says, and ends a pause.
func (o *odyssey) Reset(ctx context.Context) (did string, err error) {
	if appliedToOdyssey() != "" {
		err = o.restart(ctx, "")
	}
	if err == nil {
		_, err = o.console.Ask(ctx, "RESUME")
	}
	return "no lesson's settings are left, and it isn't paused", err
}

// Held says whether somebody has paused it: all of its databases at once.
func (o *odyssey) Held(ctx context.Context, _ string) (string, error) {
	r, err := o.console.AskOne(ctx, "SHOW IS_PAUSED")
	if r["is_paused"] == "t" {
		return "it is paused", err
	}
	return "", err
}

// restart writes the settings and waits until Odyssey, which its start script starts anew, has them. The start script
// adds a rule whose database is called after the settings.
func (o *odyssey) restart(ctx context.Context, lines string) error {
	if err := shared.WriteFile(odysseySettings(), []byte(lines)); err != nil {
		return err
	}
	called := "settings " + strings.ReplaceAll(strings.TrimSpace(lines), "\n", ", ")
	return until(ctx, "Odyssey to start anew", func() (bool, error) {
		rules, _ := o.console.Ask(ctx, "SHOW RULES") // while it starts, it doesn't answer
		return session.Find(rules, "database", called) != nil, nil
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
