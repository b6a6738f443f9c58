package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/internal/result"
)

// kept writes a run below results and returns its folder.
func kept(t *testing.T, results, id string) string {
	t.Helper()
	run := tour()
	run.ID = id
	dir := filepath.Join(results, id)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := run.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReportIsWrittenBesideItsRun(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results")
	dir := kept(t, results, "20261121T161200Z-00-tour")
	elsewhere := kept(t, t.TempDir(), "20261121T171200Z-00-tour")
	for name, want := range map[string]string{dir: "results/20261121T161200Z-00-tour/report.html",
		elsewhere: "results/20261121T171200Z-00-tour-report.html"} {
		var out bytes.Buffer
		if err := again(results, name, form{html: true}, &out); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(out.String()); got != want || !exists(filepath.Join(filepath.Dir(results), got)) {
			t.Errorf("the report of %s is said to be in %q, it should be in %s", name, got, want)
		}
		out.Reset()
		if err := again(results, name, form{}, &out); err != nil ||
			!strings.HasSuffix(out.String(), "\nReport: "+want+"\n") {
			t.Errorf("the table of %s doesn't end with where its report is: %v", name, err)
		}
	}
}

func TestEveryRunLeavesItsFiles(t *testing.T) {
	dir := t.TempDir()
	run := tour()
	run.Status = result.Interrupted
	if err := Write(dir, run); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{HTMLFile, CSVFile} {
		if !exists(filepath.Join(dir, name)) {
			t.Errorf("an interrupted run left no %s", name)
		}
	}
}

func TestSeveral(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results")
	a := filepath.Base(kept(t, results, "20261121T161200Z-00-tour"))
	b := filepath.Base(kept(t, results, "20261121T171200Z-00-tour"))
	tests := []struct {
		name      string
		runs      []string
		want, err string
	}{
		{"two", []string{a, b}, "results/runs-00-tour-20261121T161200Z-20261121T171200Z.html", ""},
		{"a room", []string{a, b, a}, "results/runs-00-tour-20261121T161200Z-20261121T161200Z.html", ""},
		{"one that isn't there", []string{a, "c"}, "", `there is no run "c"`},
	}
	for _, test := range tests {
		var out bytes.Buffer
		err := several(results, test.runs, &out)
		switch {
		case test.err == "" && (err != nil || strings.TrimSpace(out.String()) != test.want):
			t.Errorf("%s: %q, %v", test.name, out.String(), err)
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%s: the error is %v, it should say %q", test.name, err, test.err)
		}
	}
}
