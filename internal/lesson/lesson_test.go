package lesson

import (
	"slices"
	"strings"
	"testing"
)

const tour = `title: The tour
question: What does each path cost?
explanation: It depends.
minutes: 2
defaults:
  paths: [direct, pgpool]
  latencies: [none]
  seconds: 2
experiments:
  - name: connect
    workload: connect
    paths: ['*']
    latencies: [none, 10]
    clients: [1]
    rate: 40
    seconds: 1.5
    protocol: simple
  - name: tps
    workload: [select, tpcb]
    clients: [1, 10]
    warmup_seconds: 0.5
    repeats: 6
side_experiments:
  - name: aside
    workload: select
    clients: [2]
comparisons:
  - name: c
    text: s
    metric: connect
    of: {path: pgpool, latency_ms: none}
    to: {path: direct, latency_ms: none}
`

// read parses a plan that has to be in order.
func read(t *testing.T, plan string) *Lesson {
	t.Helper()
	l, err := Parse("k6/lessons/00-tour.yaml", []byte(plan))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestParse(t *testing.T) {
	l := read(t, tour)
	connect, tps, aside := l.Experiments[0], l.Experiments[1], l.Experiments[2]
	if l.Name != "00-tour" || l.Title != "The tour" {
		t.Errorf("the lesson is %q, %q", l.Name, l.Title)
	}
	if connect.Repeats != 1 || connect.Latencies[0] != None || connect.Latencies[1] != Number(10) ||
		connect.Protocol[0] != "simple" || connect.Seconds != 1.5 || connect.Paths[0] != "*" {
		t.Errorf("connect was read as %+v", connect)
	}
	if tps.Repeats != 6 || tps.Protocol[0] != "prepared" || len(tps.Workload) != 2 || tps.Warmup != 0.5 ||
		tps.Seconds != 2 {
		t.Errorf("tps was read as %+v", tps)
	}
	if !aside.Side || tps.Side {
		t.Errorf("side experiments are %+v", aside)
	}
	if of := l.Comparisons[0].Of; of["latency_ms"] != None || of["path"] != Word("pgpool") || len(of) != 2 {
		t.Errorf("the selector was read as %v", of)
	}
}

func TestParseRefuses(t *testing.T) {
	start := `title: x
question: x?
explanation: x.
minutes: 1
experiments:
  - name: g
    workload: select
    paths: ['*']
    latencies: [none]
    clients: [1]
    seconds: 1
`
	finding := func(condition string) string {
		return start + "findings:\n  - name: f\n    text: t\n    all: [{" + condition + "}]\n"
	}
	changed := func(old, new string) string { return strings.Replace(start, old, new, 1) }
	tests := []struct{ name, plan, want string }{
		{"what is no YAML", "title: 'x", "x.yaml: yaml: "},
		{"nothing", "", "x.yaml: the plan is empty"},
		{"a misspelt key", start + "    secnods: 1\n",
			`x.yaml:12: experiments: g: secnods: unknown key "secnods": did you mean seconds?`},
		{"no experiments", start[:strings.Index(start, "experiments")], "x.yaml:1: it needs experiments"},
		{"a key twice", start + "    seconds: 2\n", `line 12: mapping key "seconds" already defined at line 11`},
		{"a negative rate", start + "    rate: -1\n",
			"x.yaml:12: experiments: g: rate: -1 is too small, it must be 0 at least"},
		{"too little time", start + "at_most: 5\n", "at_most: 5 is too small, it must be 10 at least"},
		{"a precision that is a share", start + "until: 0.05\n",
			`:12: until: "0.05" is no precision: write a percentage from 0.1 to 50, such as 5 %`},
		{"no clients", changed("[1]", "[0]"), "x.yaml:10: experiments: g: clients: 0 is too small, it must be 1 at least"},
		{"an empty list", changed("[1]", "[]"), "x.yaml:10: experiments: g: clients: it has 0 entries, it needs 1"},
		{"no paths", changed("    paths: ['*']\n", ""), "experiment g: it needs paths"},
		{"half a microsecond", changed("[none]", "[0.0005]"),
			`latencies: "0.0005" stands there, it must be a multiple of 0.001`},
		{"a word that is no latency", changed("[none]", "[fast]"),
			`latencies: "fast" stands there, it must be milliseconds or none`},
		{"an unknown protocol", start + "    protocol: binary\n",
			`protocol: unknown word "binary": there are simple, extended, prepared`},
		{"an unknown role", start + "    roles: [app, app_trsut]\n",
			`roles: unknown word "app_trsut": did you mean app_trust?`},
		{"too large a pool", start + "    pool_sizes: [20, 1001]\n",
			"pool_sizes: 1001 is too large, it must be 1000 at most"},
		{"instances without clients", start + "    instances: [2]\n", "instances is 2 and clients 1"},
		{"work in an open loop", start + "    transactions: 5\n    rate: 2\n", "exclude each other"},
		{"bandwidth of nothing", start + "    bandwidth_kb_s: 1000\n", "through toxiproxy"},
		{"settings of a stranger", start + "    settings: {pgpool: {x: 1}}\n", `settings: pgpool: unknown key "pgpool": `},
		{"settings that aren't one", start + "    settings: {primary: {a b: 1}}\n",
			`settings: primary: a b: "a b" can't stand here. Lower-case letters, digits and underscores`},
		{"settings with more in them", start + "    settings: {primary: {a: 1; SHUTDOWN}}\n",
			`settings: primary: a: "1; SHUTDOWN" can't stand here. A value without quotes, backslashes, semicolons`},
		{"another primary", start + "    settings: {standby: {primary_conninfo: host=x}}\n",
			"settings: standby: primary_conninfo: that name has a meaning of its own. Lower-case letters, digits and " +
				"underscores. primary_conninfo and the like can't be set: see replication_ms."},
		{"params that are a list", start + "    params: [1]\n", "params: a list stands there, it must be a set of keys"},
		{"a full size without needs", start + "    full: {seconds: 60}\n", "full is missing"},
		{"a name that isn't a file's", changed("name: g", "name: a/b"),
			`name: "a/b" can't stand here. Lower-case letters, digits and hyphens`},
		{"a name with a meaning", changed("name: g", "name: all"), "all stands for every experiment"},
		{"a name twice", start + start[strings.Index(start, "  - name"):],
			"two experiments are called g"},
		{"a dimension that cells don't have", start + "charts:\n  - {title: t, kind: bars, x: client, metric: tps}\n",
			`x: unknown word "client": did you mean clients?`},
		{"a selector of it", start + "charts:\n  - {title: t, kind: bars, x: path, metric: tps, of: {pth: direct}}\n",
			`x.yaml:13: charts: of: pth: unknown word "pth": did you mean path?`},
		{"seven comparisons", start + "comparisons:\n" +
			strings.Repeat("  - {name: c, text: t, metric: tps, of: {path: direct}, to: {path: pgpool}}\n", 7),
			"comparisons: maxItems: got 7, want 6"},
		{"a condition that is equal", finding("metric: tps, of: {path: direct}, than: 1, is: equal"),
			`x.yaml:15: findings: f: all: is: unknown word "equal": there are less, more, same`},
		{"a condition without a cell", finding("metric: tps, than: 1, is: less"), "all: it needs of"},
		{"a condition without a number", finding("metric: tps, of: {path: direct}, is: less"), "all: it needs to or than"},
		{"a condition that is ratio and difference",
			finding("metric: tps, of: {path: direct}, to: {path: pgpool}, minus: {path: pgpool}, is: less"),
			"all: minus: it can't stand here"},
		{"the same as nothing", finding("is: same, within: 5 %"), "all: it needs comparisons"},
		{"the same as itself alone", finding("is: same, within: 5 %, comparisons: [a]"),
			"comparisons: it has 1 entries, it needs 2"},
		{"the same within nothing", finding("is: same, within: 0.05, comparisons: [a, b]"),
			`within: "0.05" is no precision`},
		{"the same of a cell", finding("is: same, within: 5 %, comparisons: [a, b], of: {path: direct}"),
			"all: of: it can't stand here"},
		{"a finding without conditions", start + "findings:\n  - {name: f, text: t, all: []}\n",
			"all: it has 0 entries, it needs 1"},
		{"a chart's kind", start + "charts:\n  - {title: t, kind: pie, x: path, metric: tps}\n", `kind: unknown word "pie"`},
		{"bars of nothing", start + "charts:\n  - {title: t, kind: bars, x: path}\n", "charts: it needs metric"},
		{"a stack of nothing", start + "charts:\n  - {title: t, kind: stack, x: path}\n", "charts: it needs parts"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("x.yaml", []byte(test.plan))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, it should speak of %q", err, test.want)
			}
		})
	}
}

// withFull is the tour with a full size, and an experiment that only that has.
var withFull = strings.NewReplacer("minutes: 2\n", "minutes: 2\nfull: {minutes: 20, max_connections: 4100}\n",
	"    repeats: 6\n", `    repeats: 6
    settings: {primary: {a: 1}}
    full: {clients: [500], settings: {primary: {b: 2}}}
  - name: crowd
    workload: select
    paths: [direct]
    clients: [4000]
    seconds: 9
    full_only: true
`).Replace(tour)

func TestFull(t *testing.T) {
	tests := []struct {
		name        string
		override    Override
		experiments int
		clients     int // of the experiment tps
		setting     string
	}{
		{"without it the lesson is as it was", Override{}, 2, 1, "a"},
		{"it changes what it says", Override{Full: true}, 3, 500, "b"},
		{"the command line changes that", Override{Full: true, Values: map[string][]string{"clients": {"7"}}}, 3, 7, "b"},
		{"side experiments have to be asked for", Override{Full: true, Experiments: []string{All}}, 4, 500, "b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := read(t, withFull)
			if err := l.Apply(test.override); err != nil {
				t.Fatal(err)
			}
			e := l.Experiments[1]
			_, set := e.Settings["primary"][test.setting]
			if len(l.Experiments) != test.experiments || e.Clients[0] != test.clients || !set ||
				len(e.Settings["primary"]) != 1 || e.Repeats != 6 {
				t.Errorf("%d experiments, the second is %+v", len(l.Experiments), e)
			}
		})
	}
	err := read(t, withFull).Apply(Override{Experiments: []string{"crowd"}})
	if err == nil || !strings.Contains(err.Error(), "add --full") {
		t.Errorf("an experiment of the full size alone: %v", err)
	}
	for wrong, want := range map[string]string{
		"clients: [0]":               "full: clients: 0 is too small",
		"clinets: [5]":               `unknown key "clinets": did you mean clients?`,
		"name: x":                    "full: name: it can't stand here",
		"transactions: 5, rate: 0.5": "in full size: experiment tps: transactions and rate exclude each other",
	} {
		_, err := Parse("x.yaml", []byte(strings.Replace(withFull, "clients: [500]", wrong, 1)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a full of %s: %v", wrong, err)
		}
	}
}

func TestExports(t *testing.T) {
	script := `import { account, workload } from '../lib/lab.js';
export { tpcb, tpcb as tpcbOneRow } from '../lib/tpcb.js';
export const options = cellOptions();
const inner = 1;
export const select = workload(() => {});
export function selectHeavy() {}
export async function slow() {}
export const first = workload(() => ({ a: [1, 2], b: 3 })), second = workload({ keeps: false }, (c, n) => {
  c.exec('a, b = 3', n);
}), third = 1;
export {
  inner as outer,
};
export * from './others.js';
export default select;
`
	const want = "first outer second select selectHeavy slow third tpcb tpcbOneRow"
	names, err := exports("x.js", script)
	slices.Sort(names)
	if got := strings.Join(names, " "); err != nil || got != want {
		t.Errorf("the script exports %s, %v", got, err)
	}
	if _, err := exports("x.js", "export function () {"); err == nil || !strings.Contains(err.Error(), "x.js: Line 1") {
		t.Errorf("a script that is none: %v", err)
	}
}

func TestCheckWorkloads(t *testing.T) {
	l := read(t, tour)
	if err := l.checkWorkloads("x.yaml", []string{"connect", "select", "tpcb"}); err != nil {
		t.Error(err)
	}
	want := `x.yaml:19: experiment tps: unknown workload "tpcb": did you mean tpcbs?`
	if err := l.checkWorkloads("x.yaml", []string{"connect", "select", "tpcbs"}); err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("the error is %v, it should begin with %s", err, want)
	}
	if err := l.checkWorkloads("x.yaml", nil); err == nil ||
		!strings.Contains(err.Error(), `unknown workload "connect": there is none`) {
		t.Errorf("a script without exports: %v", err)
	}
}
