package test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// folderWithSpaces makes a folder beside the tests' results whose name is as awkward as a person's may be.
func folderWithSpaces(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(root, "test", "results", "my files, 'old' & new")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

func writeFile(t *testing.T, folder, name, text string) string {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// args are how the scripts name a route.
func (r route) args() []string { return strings.Fields(r.path + " " + r.link) }

// psql through each path and each link shows the same database, and pgbench works there.
func TestStandardToolsGoThroughEachPathAndLink(t *testing.T) {
	t.Parallel()
	done := regexp.MustCompile(`number of transactions actually processed: 10/10\n`)
	var lines []string
	for _, r := range append(routes, route{path: "socket"}) {
		on := strings.Join(r.args(), " ")
		lines = append(lines, "psql "+on+" -X -A -t -c SELECT/**/current_user", "pgbench "+on+" -n -S -M prepared -c 2 -t 5")
	}
	for line, a := range labSays(t, lines...) {
		if a.status != 0 || !done.MatchString(a.out) && a.out != "app\n" {
			t.Errorf("lab %s: exit status %d\n%s", line, a.status, a.out)
		}
	}
}

// What the scripts connect to is where the link leads: cut, it can't be used; beside it, it can.
func TestStandardToolsGoOverTheLinkThatIsNamed(t *testing.T) {
	setLatency(t, "cut", "client-primary")
	if said := refused(t, nil, "psql", "direct", "client-primary", "-c", "SELECT 1"); !strings.Contains(said, "15001") {
		t.Errorf("over the cut link psql said %q", said)
	}
	script(t, "psql", "direct", "-c", "SELECT 1")
}

// A program sees the caller's own files.
func TestOwnFilesAreSeen(t *testing.T) {
	folder := folderWithSpaces(t)
	query := writeFile(t, folder, "query (1).sql", "SELECT 'handed ' || 'over';\n")
	if out := script(t, "psql", "direct", "-X", "-A", "-t", "-f", query); out != "handed over\n" {
		t.Errorf("psql printed %q", out)
	}
	one, two := writeFile(t, folder, "one 1.sql", "SELECT 1;\n"), writeFile(t, folder, "two 2.sql", "SELECT 2;\n")
	out := script(t, "pgbench", "pgbouncer-transaction", "-n", "-t", "20", "-f", one+"@3", "-f", two+"@1", "--file="+two)
	for _, part := range []string{"one 1.sql", "weight: 3 ", "two 2.sql", "weight: 1 ", "processed: 20/20"} {
		if !strings.Contains(out, part) {
			t.Errorf("pgbench's report lacks %q:\n%s", part, out)
		}
	}
	for name, text := range map[string]string{
		"lib/queries.js": "export const SUM = 'SELECT $1::int + $2::int AS n';\n",
		"values.json":    "[20, 22]",
		"six.sql":        "SELECT 6 AS n",
		"tests/several.js": `import pg from 'k6/x/pg';
import { SUM } from '../lib/queries.js';
export const options = { iterations: 1 };
const values = JSON.parse(open('../values.json'));
const six = open('../six.sql');
const client = pg.client({});
export default function () {
  client.connect();
  const n = client.query(SUM, ...values)[0].n * client.query(six)[0].n;
  client.close();
  if (n !== 252) { throw new Error('got ' + n); }
}
export function handleSummary() { return { 'summary.json': '{}' }; }
`} {
		if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, folder, name, text)
	}
	a := inFolder(t, filepath.Join(folder, "tests"), "k6", "run", "--quiet", "several.js")
	if a.status != 0 || strings.Contains(a.all(), "level=error") {
		t.Errorf("k6 with its folder: exit status %d\n%s", a.status, a.all())
	}
}

// inFolder runs a script of the lab from another folder.
func inFolder(t *testing.T, folder, name string, args ...string) answer {
	t.Helper()
	const code = `cd "$1" && shift && exec "$@"`
	return command(t, nil, "bash", append([]string{"-c", code, "bash", folder, filepath.Join(root, "scripts", name)},
		args...)...)
}

// What programs write stands in the folder from which they were called.
func TestFilesThatToolsWrite(t *testing.T) {
	for wrote, args := range map[string]string{
		"pgbench_log.*":      "pgbench direct -n -S -t 5 -l",
		"answer.txt one.csv": `psql direct -X -o answer.txt -c SELECT -c \copy|(SELECT|1)|TO|'one.csv'`,
		"samples.json export.json summary.json": "k6 run --quiet --out json=samples.json --summary-export=export.json " +
			"write.js",
	} {
		t.Run(wrote, func(t *testing.T) {
			folder := folderWithSpaces(t)
			writeFile(t, folder, "write.js", `export default function () {}
export function handleSummary() { return { 'summary.json': '{}' }; }
`)
			words := strings.Fields(args)
			for i := range words {
				words[i] = strings.ReplaceAll(words[i], "|", " ")
			}
			a := inFolder(t, folder, words[0], words[1:]...)
			for _, pattern := range strings.Fields(wrote) {
				if files, err := filepath.Glob(filepath.Join(folder, pattern)); a.status != 0 || err != nil || len(files) != 1 {
					t.Errorf("exit status %d, as %s it wrote %q\n%s", a.status, pattern, files, a.all())
				}
			}
		})
	}
}

// k6 fails where its summary can't be written, which by itself it doesn't, and where a threshold is crossed.
func TestK6Fails(t *testing.T) {
	for says, c := range map[string]struct {
		script string
		status int
	}{
		"could not open '/nowhere/summary.json'": {`export default function () {}
export function handleSummary() { return { '/nowhere/summary.json': '{}' }; }
`, 1},
		"thresholds on metrics 'iterations' have been crossed": {`export default function () {}
export const options = { iterations: 1, thresholds: { iterations: ['count>1'] } };
`, 99},
	} {
		file := writeFile(t, folderWithSpaces(t), "fails.js", c.script)
		a := command(t, nil, filepath.Join(root, "scripts", "k6"), "run", "--quiet", file)
		if a.status != c.status || !strings.Contains(a.all(), says) {
			t.Errorf("exit status %d, wanted %d and %q:\n%s", a.status, c.status, says, a.all())
		}
	}
}

// Scripts have a schema for tables of their own, on each path, and can't hide the lab's tables there.
func TestTablesOfAScript(t *testing.T) {
	file := writeFile(t, folderWithSpaces(t), "own.js", `import pg from 'k6/x/pg';
export const options = { iterations: 1, thresholds: { pg_errors: ['count==0'] } };
const client = pg.client({ path: __ENV.LAB_PATH, protocol: 'simple' });
export default function () {
  client.connect();
  client.exec('CREATE TABLE orders (id serial PRIMARY KEY); INSERT INTO orders DEFAULT VALUES');
  client.exec('DROP TABLE app.orders');
  client.close();
}
`)
	for _, path := range []string{"direct", "pgbouncer-transaction", "pgpool"} {
		script(t, "k6", "run", "--quiet", "-e", "LAB_PATH="+path, file)
	}
	for _, sql := range []string{
		"CREATE TABLE pgbench_accounts (aid int)", "CREATE VIEW lab_load AS SELECT 1", "SELECT 1 AS n INTO pgbench_history",
		"CREATE TABLE a (); ALTER TABLE a RENAME TO pgbench_tellers",
	} {
		if said := refused(t, nil, "psql", "direct", "-X", "-c", sql); !strings.Contains(said, "would hide the lab's own") {
			t.Errorf("%s: %s", sql, said)
		}
	}
}

// A checkout may lie in a folder with spaces in its name.
func TestCheckoutPathWithSpaces(t *testing.T) {
	copied := filepath.Join(folderWithSpaces(t), "pooler lab")
	for _, name := range []string{"compose.yaml", ".env", "configs", "scripts", "images", "k6/lib"} {
		to := filepath.Join(copied, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if a := command(t, nil, "cp", "-r", filepath.Join(root, name), to); a.status != 0 {
			t.Fatal(a.all())
		}
	}
	run := func(name string, args ...string) string {
		a := command(t, nil, filepath.Join(copied, "scripts", name), args...)
		if a.status != 0 {
			t.Errorf("scripts/%s %q: exit status %d\n%s", name, args, a.status, a.all())
		}
		return a.out
	}
	if said := run("preflight"); said != "" {
		t.Errorf("preflight said %q, wanted silence", said)
	}
	run("setting", "LAB_SCALE")
	if config := run("compose", "config"); !strings.Contains(config, filepath.Join(copied, "configs", "toxiproxy.json")) {
		t.Errorf("'scripts/compose config' mounts nothing of %s:\n%.2000s", copied, config)
	}
	if row := parseRows(t, run("latency", "--json"))["client-primary"]; row.RoundTripMS == nil {
		t.Errorf("scripts/latency from there: %+v", row)
	}
	file := writeFile(t, copied, "a query.sql", "SELECT 5;\n")
	if out := run("psql", "direct", "-X", "-A", "-t", "-f", file); out != "5\n" {
		t.Errorf("psql -f from there printed %q", out)
	}
}
