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
	folder, err := os.MkdirTemp(filepath.Join(root, "test", "results"), "my files, 'old' & new ")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

func writeFile(t *testing.T, folder, name, text string) string {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
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
	for _, r := range append(routes(t), route{path: "socket"}) {
		t.Run(r.name(), func(t *testing.T) {
			t.Parallel()
			on := strings.Join(r.args(), " ")
			psql := lab(t, "psql "+on+" -X -A -t -c SELECT/**/current_user")
			pgbench := lab(t, "pgbench "+on+" -n -S -M prepared -c 2 -t 5")
			if psql.out != "app\n" || !done.MatchString(pgbench.out) {
				t.Errorf("psql: %s\npgbench: %s", psql.all(), pgbench.all())
			}
		})
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

// k6Script takes what it does from files beside it.
const k6Script = `import { check } from 'k6';
import pg from 'k6/x/pg';
import { SUM } from '../lib/queries.js';
export const options = { iterations: 1, thresholds: { pg_errors: ['count==0'], checks: ['rate==1'] } };
const values = JSON.parse(open('../values.json'));
const six = open('../six.sql');
const client = pg.client({});
export default function () {
  client.connect();
  check(client.query(SUM, ...values)[0].n * client.query(six)[0].n, { 'the sum': (n) => n === 252 });
  client.close();
}
export function handleSummary() { return { 'summary.json': '{}' }; }
`

// A program sees the caller's own files, and what it writes stands in the folder from which it was called.
func TestFilesOfTheCaller(t *testing.T) {
	for wrote, args := range map[string]string{
		"pgbench_log.*":      "pgbench direct -n -S -t 5 -l",
		"answer.txt one.csv": `psql direct -X -o answer.txt -c SELECT -c \copy|(SELECT|1)|TO|'one.csv'`,
		"samples.json export.json summary.json": "k6 run --quiet --out json=samples.json --summary-export=export.json " +
			"several.js",
	} {
		t.Run(wrote, func(t *testing.T) {
			folder := folderWithSpaces(t)
			for name, text := range map[string]string{
				"tests/several.js": k6Script,
				"lib/queries.js":   "export const SUM = 'SELECT $1::int + $2::int AS n';\n",
				"values.json":      "[20, 22]",
				"six.sql":          "SELECT 6 AS n",
			} {
				writeFile(t, folder, name, text)
			}
			words := strings.Fields(args)
			for i := range words {
				words[i] = strings.ReplaceAll(words[i], "|", " ")
			}
			const code = `cd "$1" && shift && exec "$@"`
			stands := filepath.Join(folder, "tests")
			a := command(t, nil, "bash", append([]string{"-c", code, "bash", stands,
				filepath.Join(root, "scripts", words[0])}, words[1:]...)...)
			for _, pattern := range strings.Fields(wrote) {
				if files, err := filepath.Glob(filepath.Join(stands, pattern)); a.status != 0 || err != nil || len(files) != 1 {
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
