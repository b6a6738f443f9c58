package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/k6/summary"
)

// The examples run on each path that they are told, their thresholds hold, and k6's summary and the lab's agree.
func TestExamplesRun(t *testing.T) {
	for name, path := range map[string]string{"query": "direct", "mixed": "pgbouncer-transaction", "pool": "pgpool"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := summaries(t)
			out := command(t, nil, filepath.Join(root, "scripts", "k6"), "run", "--quiet", "-e", "LAB_PATH="+path,
				filepath.Join("k6", "examples", name+".js"))
			if out.status != 0 {
				t.Fatalf("exit status %d\n%s", out.status, out.all())
			}
			if !strings.Contains(out.all(), "pg_connect.") || !strings.Contains(out.all(), "path "+path+" over link client-") {
				t.Errorf("it printed\n%s", out.all())
			}
			s := newSummary(t, before, name)
			statements := s.Trends["pg_statement"][summary.Whole].Count
			if s.Count("pg_transactions", summary.Whole) == 0 || statements == 0 || len(s.Errors) > 0 {
				t.Errorf("the summary says %+v", s)
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
