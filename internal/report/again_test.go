package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/internal/result"
	"pooler-lab/test/testkit"
)

// kept writes a run below results and returns its folder.
func kept(t *testing.T, results, id string) string {
	t.Helper()
	run := tour()
	run.ID = id
	dir := filepath.Join(results, id)
	testkit.OK(t, os.MkdirAll(dir, 0o755))
	testkit.OK(t, run.Write(dir))
	return dir
}

const older, last = "20261121T161200Z-00-tour", "20261121T171200Z-00-tour"

func TestChosen(t *testing.T) {
	results, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "anna")
	kept(t, results, older)
	kept(t, results, last)
	testkit.OK(t, os.Rename(kept(t, filepath.Dir(elsewhere), "X"), elsewhere))
	for asked, want := range map[string][2]string{ // its id and what it is called
		"":                                       {last, "20261121T171200Z"},
		older:                                    {older, "20261121T161200Z"},
		"results/" + older + "/":                 {older, "20261121T161200Z"},
		"/home/x/results/" + older + "/run.json": {older, "20261121T161200Z"},
		elsewhere:                                {"X", "anna"},
		filepath.Join(elsewhere, result.File):    {"X", "anna"},
	} {
		got, err := chosen(results, strings.Fields(asked))
		if err != nil || got.Run.ID != want[0] || got.Name != want[1] {
			t.Errorf("%q chooses %+v, %v", asked, got, err)
		}
	}
	if _, err := chosen(results, []string{"tour"}); err == nil ||
		!strings.HasSuffix(err.Error(), "there are "+older+", "+last) {
		t.Errorf("an unknown run gives %v", err)
	}
	if _, err := chosen(t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "scripts/run 00-tour") {
		t.Errorf("no runs at all give %v", err)
	}
}

func TestReportIsWrittenBesideItsRun(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results")
	kept(t, results, older)
	for id, want := range map[string]string{older: "results/" + older + "/report.html",
		"elsewhere": "results/elsewhere-report.html"} {
		run := tour()
		run.ID = id
		var out bytes.Buffer
		testkit.OK(t, again(results, run, form{html: true}, &out))
		if got := strings.TrimSpace(out.String()); got != want || !exists(filepath.Join(filepath.Dir(results), got)) {
			t.Errorf("the report of %s is said to be in %q, it should be in %s", id, got, want)
		}
		out.Reset()
		if err := again(results, run, form{}, &out); err != nil ||
			!strings.HasSuffix(out.String(), "\nReport: "+want+"\n") {
			t.Errorf("the table of %s doesn't end with where its report is: %v", id, err)
		}
	}
}

// A page of runs that begin and end with the same names doesn't take the place of another one's.
func TestSeveral(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results")
	kept(t, results, older)
	kept(t, results, last)
	between := "20261121T170000Z-00-tour"
	kept(t, results, between)
	const page = "results/runs-00-tour-20261121T161200Z-20261121T171200Z"
	for _, test := range []struct {
		runs []string
		want string // the page or the error
	}{
		{[]string{older, last}, page + ".html"},
		{[]string{older, between, last}, page + "-2.html"},
		{[]string{older, last}, page + ".html"},
		{[]string{older, between, last}, page + "-2.html"},
		{[]string{last, last}, "results/runs-00-tour-20261121T171200Z-20261121T171200Z-2.html"},
		{[]string{older, "c"}, `unknown run "c"`},
	} {
		var out bytes.Buffer
		if err := several(results, test.runs, &out); err != nil {
			fmt.Fprint(&out, err)
		}
		if got, _, _ := strings.Cut(out.String(), "\n"); !strings.HasPrefix(got, test.want) {
			t.Errorf("%v: %q, it should be %q", test.runs, got, test.want)
		}
	}
}
