package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/k6/summary"
)

// Examples and lessons run by themselves on the path that they are told, over its link or without, where a latency that
// is set shows. Their thresholds hold, and k6's summary and the lab's are both there.
func TestScriptsRunByThemselves(t *testing.T) {
	const least = 30 - early
	setLatency(t, "30ms", "client-pgpool")
	for _, c := range []struct {
		script, settings, note string
		least                  float64 // that a statement takes
	}{
		{"k6/examples/query.js", "LAB_PATH=direct", "path direct over link client-primary", 0},
		{"k6/examples/mixed.js", "LAB_PATH=pgbouncer-transaction",
			"path pgbouncer-transaction over link client-pgbouncer", 0},
		{"k6/examples/pool.js", "LAB_PATH=pgpool", "path pgpool over link client-pgpool, which is set to 30 ms", least},
		{"k6/lessons/05-balance.js", "LAB_PATH=pgpool LAB_LINK=none LAB_CLIENTS=2 LAB_SECONDS=1",
			"path pgpool without toxiproxy", 0},
	} {
		t.Run(c.script, func(t *testing.T) {
			t.Parallel()
			before, args := summaries(t), []string{"run", "--quiet"}
			for setting := range strings.FieldsSeq(c.settings) {
				args = append(args, "-e", setting)
			}
			out := command(t, nil, filepath.Join(root, "scripts", "k6"), append(args, c.script)...)
			if out.status != 0 || !strings.Contains(out.err, c.note) || !strings.Contains(out.out, "pg_statement.") {
				t.Fatalf("exit status %d\n%s", out.status, out.all())
			}
			s := newSummary(t, before, strings.TrimSuffix(filepath.Base(c.script), ".js"))
			statement := s.Trends["pg_statement"][summary.Whole]
			if s.Count("pg_transactions", summary.Whole) == 0 || statement.Count == 0 || statement.Min < c.least ||
				len(s.Errors) > 0 {
				t.Errorf("a statement takes %+v; the summary says %+v", statement, s)
			}
		})
	}
}

// The README of the module shows the examples as they are.
func TestReadmeShowsTheExamples(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join(root, "k6", "pg", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "k6", "examples", "*.js"))
	if err != nil || len(files) < 3 {
		t.Fatalf("the examples are %v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(readme), "```js\n"+string(text)+"```\n") {
			t.Errorf("k6/pg/README.md doesn't show %s as it is", filepath.Base(file))
		}
	}
}

// summaries are the files that scripts/k6 has written so far.
func summaries(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(results, "k6", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		found[file] = true
	}
	return found
}

// newSummary reads the one summary that wasn't there before, which is a script's of that name.
func newSummary(t *testing.T, before map[string]bool, name string) *summary.Summary {
	t.Helper()
	var fresh []string
	for file := range summaries(t) {
		if !before[file] && strings.HasSuffix(file, "Z-"+name+".json") {
			fresh = append(fresh, file)
		}
	}
	if len(fresh) != 1 {
		t.Fatalf("of a run of %s there are the summaries %v", name, fresh)
	}
	test, err := summary.Read(fresh[0])
	if err != nil {
		t.Fatal(err)
	}
	return test.Sides[0]
}
