package tool

import (
	"archive/tar"
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// labScript writes a script that is built on k6/lib/lab.js and returns its file.
func labScript(t *testing.T) string {
	t.Helper()
	return scriptOf(t, "import { workload } from '../lib/lab.js';\n")
}

func scriptOf(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.js")
	testkit.OK(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// aPlan has an experiment that a script can run, and one that it can't.
const aPlan = `title: Balancing
question: When?
explanation: Then.
minutes: 1
full: {minutes: 2}
pgbench: {select: select-only, heavy: select-only}
defaults: {latencies: [none], workload: select, seconds: 1}
experiments:
  - {name: light, workload: [select, heavy], paths: [direct, pgpool], clients: [3, 9], protocol: simple, seconds: 2,
     warmup_seconds: 0.5, rate: 7}
  - {name: everywhere, paths: ['*'], clients: [8], instances: [4]}
  - {name: trusting, paths: [direct], clients: [1], roles: app_trust}
  - {name: logins, driver: [pgbench, k6], paths: [direct], clients: [1], roles: [app_trust, app_clear]}
  - {name: far, paths: [pgpool], clients: [1], replication_ms: 20}
  - {name: huge, paths: [direct], clients: [4000], full_only: true}
`

// settled is the run of a script with such settings, as LAB_ names without the LAB_.
func settled(t *testing.T, text, settings string) (scriptRun, error) {
	t.Helper()
	t.Setenv("COMPOSE_PROFILES", "")
	t.Setenv("LAB_YUGABYTE_OFF", "its image can't be pulled here")
	set, err := topology.Load("../..")
	testkit.OK(t, err)
	args := []string{"run"}
	for setting := range strings.FieldsSeq(settings) {
		args = append(args, "-e", "LAB_"+setting)
	}
	given, err := parseK6(append(args, labScript(t)))
	if err != nil {
		return scriptRun{}, err
	}
	if text == "" {
		return newScriptRun(set, given, nil)
	}
	plan, err := lesson.Parse("05-balance.yaml", []byte(text))
	testkit.OK(t, err)
	return newScriptRun(set, given, plan)
}

func TestCellOfAScript(t *testing.T) {
	t.Setenv("GOGC", "")
	for name, c := range map[string]struct {
		settings string
		want     []string
	}{
		"the first experiment": {"", []string{`"path":"direct","latency_ms":0,"link":"client-primary",` +
			`"workload":"select","clients":3,"protocol":"simple","rate":7,"seconds":2,"warmup_seconds":0.5,`,
			`"params":{},`, `"role":"app","dsn":"host=toxiproxy port=15001 dbname=lab user=app sslmode=disable",` +
				`"deadline_seconds":144.15,"scale":0,"seed":0}`}},
		"another path, over its link": {"PATH=pgpool", []string{`"path":"pgpool",`, `"dsn":"host=toxiproxy port=15004 `}},
		"without toxiproxy": {"PATH=pgpool LINK=none", []string{`"path":"pgpool",`, `"link":"",`,
			`"dsn":"host=pgpool port=9999 dbname=lab user=app sslmode=disable"`}},
		"the link by its name":  {"PATH=pgpool LINK=client-pgpool", []string{`"link":"client-pgpool"`}},
		"a path without a link": {"PATH=socket", []string{`"dsn":"host=/run/postgresql `}},
		"another experiment":    {"EXPERIMENT=everywhere", []string{`"path":"direct",`}},
		"its instances":         {"EXPERIMENT=everywhere", []string{`"instances":4,"instance_pool":2,`}},
		"an application's pool": {"PATH=app-pool CLIENTS=30", []string{`"clients":30,`,
			`"instances":1,"instance_pool":10,`}},
		"one of the full size, which collects garbage as a run does": {"EXPERIMENT=huge",
			[]string{`"clients":4000`, "\nGOGC=10\n"}},
		"a role that logs in":      {"EXPERIMENT=logins", []string{`user=app_clear `}},
		"its workload and clients": {"WORKLOAD=heavy CLIENTS=20", []string{`"workload":"heavy","clients":20,`}},
		"its load": {"RATE=0 TRANSACTIONS=5 SECONDS=1.5", []string{`"rate":0,"seconds":1.5`,
			`"transactions":5,`}},
		"its params":    {`PARAMS={"rows":10}`, []string{`"params":{"rows":10}`}},
		"another login": {"ROLE=app_clear PROTOCOL=extended SEED=9", []string{`user=app_clear `, `"seed":9}`}},
	} {
		t.Run(name, func(t *testing.T) {
			run, err := settled(t, aPlan, c.settings)
			testkit.OK(t, err)
			all, err := run.env()
			env := strings.Join(all, "\n")
			for _, want := range c.want {
				if err != nil || !strings.Contains(env, want) {
					t.Errorf("%v, %s\nlacks %s", err, env, want)
				}
			}
		})
	}
}

func TestScriptWithoutAPlan(t *testing.T) {
	run, err := settled(t, "", "WORKLOAD=own CLIENTS=4")
	c := run.cell
	if err != nil || c.Workload != "own" || c.Clients != 4 || c.Seconds != 5 || c.Path != "direct" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestRefusedSettings(t *testing.T) {
	for settings, says := range map[string]string{
		"PATH=yugabyte":      "path yugabyte can't be used: its image can't be pulled here",
		"LINK=client-pgpool": `LAB_LINK: path direct doesn't go over link "client-pgpool"; it can go over client-primary`,
		"EXPERIMENT=ligh":    `unknown experiment "ligh": did you mean light?`,
		"EXPERIMENT=far": "experiment far sets replication_ms, which only a run of the lesson does: " +
			"scripts/run 05-balance --experiments far",
		"EXPERIMENT=trusting": "experiment trusting sets roles, which only a run of the lesson does",
		"CLIENTS=many":        `LAB_CLIENTS=many: experiment light: clients: "many" stands there, it must be a whole number`,
		"ROLE=app_trust":      "experiment light sets roles, which only a run of the lesson does",
		"PARAMS=7":            `params: "7" stands there, it must be a set of keys`,
		"SEED=-1":             "LAB_SEED=-1: give a whole number below 4294967296",
		"LATENCY_MS=10":       `a script finds links and servers as they are: scripts/latency sets links`,
		"CLIENT=5":            `unknown setting "LAB_CLIENT": did you mean LAB_CLIENTS?`,
	} {
		if _, err := settled(t, aPlan, settings); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v\nwanted %s", settings, err, says)
		}
	}
	_, err := settled(t, "", "EXPERIMENT=light")
	if err == nil || !strings.Contains(err.Error(), "the script has no plan beside it") {
		t.Errorf("an experiment without a plan: %v", err)
	}
}

func TestK6Arguments(t *testing.T) {
	lab := labScript(t)
	own := scriptOf(t, "const clients = __ENV.LAB_CLIENTS;")
	input, err := os.Open(scriptOf(t, "")) // the script that standard input has
	testkit.OK(t, err)
	stdin := os.Stdin
	os.Stdin = input
	t.Cleanup(func() { os.Stdin = stdin; input.Close() })
	for name, c := range map[string]struct {
		args string
		says string // "" is no error
	}{
		"a script of the lab": {"run -e LAB_CLIENTS=5 " + lab, ""},
		"written together":    {"run --env=LAB_CLIENTS=5 -eLAB_SECONDS=5 " + lab, ""},
		"its scenario replaced": {"run --vus 10 " + lab,
			"--vus would replace the scenario of the cell: give -e LAB_CLIENTS instead"},
		"its scenario replaced, too": {"run " + lab + " --duration=10s",
			"--duration would replace the scenario of the cell: give -e LAB_SECONDS"},
		"its scenario replaced, in short": {"run -u10 " + lab,
			"--vus would replace the scenario of the cell: give -e LAB_CLIENTS instead"},
		"somebody's own":              {"run --vus 10 -e LAB_PATH=pgpool -e LAB_LINK=none " + own, ""},
		"a setting that it reads":     {"run -e LAB_CLIENTS=5 " + own, ""},
		"a setting that it does not":  {"run -e LAB_RATE=5 " + own, "doesn't read LAB_RATE"},
		"a setting of its own":        {"run -e RATE=5 " + own, ""},
		"standard input":              {"run -e LAB_RATE=5 -", "doesn't read LAB_RATE"},
		"no file":                     {"run -e LAB_RATE=5 https://example.org/script.js", ""},
		"a file that isn't there":     {"run k6/lessons/99.js", "there is no script k6/lessons/99.js here"},
		"behind an option's value":    {"run --summary-export out.js -q --tag a=b " + lab, ""},
		"behind switches":             {"run -q --no-setup -e LAB_RATE=5 " + own, "doesn't read LAB_RATE"},
		"an output that ends in .js":  {"run -o json=out.js " + own, ""},
		"an environment of two words": {"run --env LAB_RATE=5 " + own, "doesn't read LAB_RATE"},
	} {
		t.Run(name, func(t *testing.T) {
			given, err := parseK6(strings.Fields(c.args))
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Fatalf("%v\nwanted %q", err, c.says)
			}
			if want := strings.Contains(c.args, lab); given.ofLab != want {
				t.Errorf("it is a script of the lab: %v", given.ofLab)
			}
		})
	}
	quoted := scriptOf(t, `import { workload } from "../lib/lab.js";`)
	if given, err := parseK6([]string{"run", "-e", "LAB_RATE=5", quoted}); err != nil || !given.ofLab {
		t.Errorf("double quotes: a script of the lab: %v, %v", given.ofLab, err)
	}
	args := "run --env=LAB_CLIENTS=5 -eLAB_SECONDS=6 -e LAB_RATE=7 --env LAB_PATH=x " + lab
	given, err := parseK6(strings.Fields(args))
	want := map[string]string{"LAB_CLIENTS": "5", "LAB_SECONDS": "6", "LAB_RATE": "7", "LAB_PATH": "x"}
	if err != nil || !maps.Equal(given.settings, want) {
		t.Errorf("%v, %v", given.settings, err)
	}
}

// What the shell has set counts as it does for k6 alone, and a cell has settings of its own.
func TestVariablesOfTheShell(t *testing.T) {
	lab, own := labScript(t), scriptOf(t, "export default () => {};")
	for name, value := range map[string]string{"LAB_CLIENTS": "5", "LAB_PATH": "pgpool", "LAB_SCALE": "1",
		"K6_OUT": "json=a.json,csv=b.csv", "WHO": "Ann"} {
		t.Setenv(name, value)
	}
	t.Setenv("LAB_HANDED", "LAB_CLIENTS LAB_PATH LAB_SCALE K6_OUT WHO")
	for _, c := range []struct {
		args     string
		settings map[string]string
		outputs  int // words
	}{
		{"run " + lab, map[string]string{"LAB_CLIENTS": "5", "LAB_PATH": "pgpool"}, 4},
		{"run -e LAB_CLIENTS=7 " + lab, map[string]string{"LAB_CLIENTS": "7", "LAB_PATH": "pgpool"}, 4},
		{"run --out json=c.json " + own, map[string]string{"LAB_PATH": "pgpool"}, 0},
	} {
		given, err := parseK6(strings.Fields(c.args))
		if err != nil || !maps.Equal(given.settings, c.settings) || len(given.outputs) != c.outputs {
			t.Errorf("%s: %v, %q, %v", c.args, given.settings, given.outputs, err)
		}
	}
	t.Setenv("K6_VUS", "3")
	t.Setenv("LAB_HANDED", "K6_VUS")
	const says = "K6_VUS would replace the scenario of the cell: give -e LAB_CLIENTS instead"
	if _, err := parseK6([]string{"run", lab}); err == nil || err.Error() != says {
		t.Errorf("%v", err)
	}
	if _, err := parseK6([]string{"run", own}); err != nil {
		t.Error(err)
	}
}

func TestVariablesWithoutEffect(t *testing.T) {
	for name, value := range map[string]string{"PGHOST": "elsewhere", "PGSERVICE": "reports", "PGOPTIONS": "-c a=b",
		"PSQL_PAGER": "no-such-program -x", "PAGER": "no-such-program", "EDITOR": "sh"} {
		t.Setenv(name, value)
	}
	t.Setenv("LAB_HANDED", "PGHOST PGSERVICE PGOPTIONS PSQL_PAGER PAGER EDITOR")
	var notes strings.Builder
	env := handed("psql", &notes)
	if want := []string{"PGOPTIONS=-c a=b", "EDITOR=sh"}; !slices.Equal(env, want) {
		t.Errorf("%q", env)
	}
	for _, want := range []string{"PGHOST, PGSERVICE of your environment", "PSQL_PAGER of your environment"} {
		if !strings.Contains(notes.String(), want) {
			t.Errorf("%q lacks %q", notes.String(), want)
		}
	}
	for _, e := range own() {
		if name, _, _ := strings.Cut(e, "="); strings.HasPrefix(name, "PG") || name == "LAB_HANDED" {
			t.Errorf("%s is the container's own", e)
		}
	}
}

// Whatever the file is called, and whichever file of the script imports it, lab.js is found.
func TestScriptsByTheirModules(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		testkit.OK(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	const imports = "import { workload } from '/lab/k6/lib/lab.js';\n"
	write("between.js", "export * from './further.js';\n")
	write("further.js", imports+"import './between.js';\n")
	write("faker.js", "import faker from 'k6/x/faker';\n")
	for file, want := range map[string]bool{
		write("a.mjs", imports): true, write("b.ts", imports): true, write("c", imports): true,
		write("d.js", "import { own } from './between.js';\n"):           true,
		write("e.js", "const lib = require('./further.js');\n"):          true,
		write("f.js", "// import { own } from './between.js';\n"):        false,
		write("g.js", "import { own } from './none.js';\n"):              false,
		write("h.js", "import { own } from 'https://x.test/lib/a.js'\n"): false,
	} {
		if given, err := parseK6([]string{"run", file}); err != nil || given.ofLab != want {
			t.Errorf("%s: of the lab %v, %v", filepath.Base(file), given.ofLab, err)
		}
	}
	_, err := parseK6([]string{"run", write("i.js", "import './faker.js';\n")})
	if err == nil || !strings.Contains(err.Error(), "faker.js imports k6/x/faker") {
		t.Error(err)
	}
}

func TestArchives(t *testing.T) {
	archive := func(files map[string]string) string {
		file := filepath.Join(t.TempDir(), "archive.tar")
		var text bytes.Buffer
		w := tar.NewWriter(&text)
		for name, content := range files {
			testkit.OK(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content))}))
			_, err := w.Write([]byte(content))
			testkit.OK(t, err)
		}
		testkit.OK(t, w.Close())
		testkit.OK(t, os.WriteFile(file, text.Bytes(), 0o600))
		return file
	}
	_, err := parseK6([]string{"run", archive(map[string]string{"file/lab/k6/lib/lab.js": "", "data": ""})})
	if err == nil || !strings.Contains(err.Error(), "runs none of its cells") {
		t.Error(err)
	}
	own := archive(map[string]string{"data": "const n = __ENV.LAB_CLIENTS;"})
	if _, err := parseK6([]string{"run", "-e", "LAB_CLIENTS=5", own}); err != nil {
		t.Error(err)
	}
	if _, err := parseK6([]string{"run", "-e", "LAB_RATE=5", own}); err == nil {
		t.Error("it doesn't read LAB_RATE")
	}
}

func TestExtensionsThatArentThere(t *testing.T) {
	const sql = "isn't built into this k6: k6/x/pg does the same."
	for name, c := range map[string]struct{ script, says string }{
		"xk6-sql":           {"import sql from 'k6/x/sql';", sql},
		"its driver":        {`import driver from "k6/x/sql/driver/postgres";`, sql},
		"xk6-sql, required": {"const sql = require('k6/x/sql');", sql},
		"on several lines":  {"import {\n  open,\n} from 'k6/x/sql';", sql},
		"another one":       {"import faker from 'k6/x/faker';", "the only extension that is built"},
		"the lab's":         {"import pg from 'k6/x/pg';", ""},
		"k6's own":          {"import http from 'k6/http';", ""},
		"in a comment":      {"// import sql from 'k6/x/sql';\n// const sql = require('k6/x/sql');", ""},
	} {
		_, err := parseK6([]string{"run", scriptOf(t, c.script)})
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v\nwanted %q", name, err, c.says)
		}
	}
}

// Runs that start in one second have a file each.
func TestSummaryFile(t *testing.T) {
	results, now := t.TempDir(), time.Date(2026, 11, 21, 16, 12, 0, 0, time.UTC)
	for micros, want := range map[int]string{
		0: "20261121T161200.000000Z-05-balance.json", 1: "20261121T161200.000001Z-05-balance.json",
	} {
		file, err := summaryFile(results, "k6/lessons/05-balance.js", now.Add(time.Duration(micros)*time.Microsecond))
		if err != nil || file != filepath.Join(results, "k6", want) {
			t.Errorf("%s, %v, not %s", file, err, want)
		}
	}
}
