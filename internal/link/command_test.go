package link

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

func TestTargets(t *testing.T) {
	set, err := topology.Load("../..")
	testkit.OK(t, err)
	cases := []struct {
		name, args, want, wrong string
	}{
		{"link", "client-primary", "client-primary", ""},
		{"path", "pgbouncer-session", "client-pgbouncer", ""},
		{"path with two links", "pgpool-near-app", "pgpool-primary pgpool-standby", ""},
		{"several, each once", "direct client-primary standby", "client-primary client-standby", ""},
		{"all", "all", strings.Join(set.LinkNames(), " "), ""},
		{"both link and path", "pgbouncer-yugabyte", "pgbouncer-yugabyte", ""},
		{"path without a link", "socket", "", "path socket has no link: no latency can be put on it"},
		{"mistyped link", "direct client-pgpol", "", `unknown link or path "client-pgpol": did you mean client-pgpool?`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			links, err := targets(set, strings.Fields(c.args))
			if err != nil && (c.wrong == "" || !strings.Contains(err.Error(), c.wrong)) ||
				err == nil && !slices.Equal(links, strings.Fields(c.want)) {
				t.Errorf("got %v, %v; want %s%s", links, err, c.want, c.wrong)
			}
		})
	}
}

// Whatever is wrong with the words is said before toxiproxy is asked for anything.
func TestCommandRefuses(t *testing.T) {
	t.Setenv("LAB_ROOT", "../..")
	t.Setenv("LAB_TOXIPROXY_URL", "http://127.0.0.1:1")
	cases := []struct{ name, args, want string }{
		{"no target", "10ms", "on which link? Name links, paths or all"},
		{"mistyped preset", "satelite client-primary", `did you mean satellite?`},
		{"more jitter than latency", "5ms client-primary --jitter 6ms", "jitter of 6 ms is more than the latency of 5 ms"},
		{"fraction of jitter", "5ms client-primary --jitter 0.1us", "jitter: 0.1us isn't a whole number of microseconds"},
		{"bandwidth zero", "5ms client-primary --bandwidth 0", `bandwidth "0": say whole KB/s`},
		{"bandwidth with a unit", "5ms client-primary --bandwidth 1MB", `bandwidth "1MB": say whole KB/s`},
		{"jitter alone", "--jitter 5ms", "--jitter and --bandwidth go with a latency and a link"},
		{"jitter without latency", "client-primary --jitter 5ms", "a latency is missing before client-primary"},
		{"cut nothing", "cut", "on which link?"},
		{"restore an unknown one", "restore nowhere", `unknown link or path "nowhere"`},
		{"unknown link behind a known one", "10ms client-primary nowhere", `unknown link or path "nowhere"`},
		{"unknown flag", "10ms direct --jiter 2ms", "unknown flag: --jiter"},
		{"two words", "10 ms client-primary", "write 10ms in one word, as in: scripts/latency 10ms client-primary"},
		{"latency last", "client-primary 10ms", "the latency comes first: scripts/latency 10ms client-primary"},
		{"preset last", "direct standby satellite", "the preset comes first: scripts/latency satellite direct standby"},
		{"off last", "direct off", "off comes first: scripts/latency off direct"},
		{
			"first word of paths",
			"10ms pgbouncer",
			`unknown link or path "pgbouncer": did you mean one of pgbouncer-transaction, pgbouncer-session, `,
		},
		{"toxiproxy away", "10ms client-primary", "toxiproxy doesn't answer at http://127.0.0.1:1; is the lab up?"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			command := NewCommand(func() (string, bool) { return "", false })
			command.SetArgs(strings.Fields(c.args))
			command.SetOut(new(bytes.Buffer))
			command.SetErr(new(bytes.Buffer))
			command.SilenceUsage = true
			if err := command.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("\ngot  %v\nwant %s", err, c.want)
			}
		})
	}
}

// Who changes links while something measures is told, and who only looks isn't.
func TestChangeWarnsWhileALessonRuns(t *testing.T) {
	t.Setenv("LAB_ROOT", "../..")
	t.Setenv("LAB_TOXIPROXY_URL", "http://127.0.0.1:1")
	cases := map[string]bool{
		"10ms client-primary": true,
		"satellite direct":    true,
		"off":                 true,
		"cut direct":          true,
		"":                    false,
		"direct":              false,
	}
	for args, warned := range cases {
		command := NewCommand(func() (string, bool) { return "lesson 00-tour", true })
		var said bytes.Buffer
		command.SetArgs(strings.Fields(args))
		command.SetOut(new(bytes.Buffer))
		command.SetErr(&said)
		command.SilenceUsage, command.SilenceErrors = true, true
		if err := command.ExecuteContext(t.Context()); err == nil {
			t.Errorf("%s: toxiproxy isn't there, and nothing is wrong", args)
		}
		if strings.Contains(said.String(), "lesson 00-tour is running: ") != warned {
			t.Errorf("latency %s said %q; warned should be %v", args, said.String(), warned)
		}
	}
}
