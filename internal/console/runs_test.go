package console

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/internal/result"
	"pooler-lab/test/testkit"
)

// putRun puts a copy of a run into results, under that name.
func (b *bench) putRun(name, file string, change func(string) string) {
	b.t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.MkdirAll(filepath.Join(b.results(), name), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(b.results(), name, "run.json"), []byte(change(string(text))), 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func same(text string) string { return text }

// idOf is the id of a run's document.
func idOf(text string) string {
	_, rest, _ := strings.Cut(text, `"id": "`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

func TestRunsTheirFilesAndTwoSideBySide(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	const first, second = "20261121T100000Z-05-balance", "20261121T110000Z-05-balance"
	as := func(id string) func(string) string {
		return func(text string) string { return strings.Replace(text, idOf(text), id, 1) }
	}
	b.putRun(first, aRun, as(first))
	b.putRun(second, aRun, as(second))
	const other = "20261121T113000Z-06-placement"
	b.putRun(other, aRun, func(text string) string {
		changed := []string{`"override": {}`, `"override": {"values": {"repeats": ["1"]}}`}
		return strings.NewReplacer(append(changed, `"name": "05-balance"`, `"name": "06-placement"`)...).
			Replace(as(other)(text))
	})
	beside := "/runs/" + first + "/beside/"
	cases := []struct {
		address  string
		status   int
		contains string
	}{
		{"/runs", 200, second},
		{"/runs", 200, "not as the lesson has it: repeats 1"},
		{"/runs/" + first, 200, first},
		{"/runs/" + first + "/report.html", 200, "<!doctype html>"},
		{"/runs/" + first + "/run.csv", 200, "run,cell,"},
		{"/runs/" + first + "/run.json", 200, `"lesson"`},
		{"/runs/" + first + "/.lock", 404, "a run has no"},
		{"/runs/" + first + "/prediction.json", 404, "a run has no"},
		{beside + second, 200, "beside"},
		{beside + second + "/report.html", 200, "<!doctype html>"},
		{beside + other, 400, "give runs of one lesson"},
		{beside + other + "/report.html", 400, "give runs of one lesson"},
		{"/runs/20261121T120000Z-05-balance", 404, "there is no run"},
		{"/runs/..%2f..%2fetc", 404, "there is no run"},
		{"/runs/20261121T120000Z-..%2f" + first + "/run.json", 404, "there is no run"},
	}
	for _, c := range cases {
		if status, text := b.get(c.address); status != c.status || !strings.Contains(text, c.contains) {
			t.Errorf("%s: %d %.300s\nwanted %d, %q", c.address, status, text, c.status, c.contains)
		}
	}
	for file, saved := range map[string]bool{"report.html": false, "run.csv": true, "run.json": true} {
		response, _ := b.ask(http.MethodGet, "/runs/"+first+"/"+file, "")
		if got := strings.HasPrefix(response.Header.Get("Content-Disposition"), "attachment"); got != saved {
			t.Errorf("%s: the browser saves it: %v", file, got)
		}
		runsNothing := response.Header.Get("Content-Security-Policy") == reportPolicy
		if strings.Contains(reportPolicy, "script-src") || runsNothing == saved {
			t.Errorf("%s: policy %q", file, response.Header.Get("Content-Security-Policy"))
		}
	}
}

// A run that was under way when the lab was stopped says so, and one that is under way doesn't.
func TestRunThatNeverEndedIsInterrupted(t *testing.T) {
	t.Parallel()
	const name = "20261121T100000Z-05-balance"
	b := newBench(t, func(b *bench) {
		b.putRun(name, aRun, func(text string) string {
			text = strings.Replace(text, `"status": "finished"`, `"status": "running"`, 1)
			return strings.Replace(text, idOf(text), name, 1)
		})
	})
	p, _ := b.ready()
	listed := func() shownRun { return p.runs()[0] }
	if got := listed(); got.Status != result.Interrupted || got.Reason != neverEnded {
		t.Errorf("%+v", got)
	}
	defer b.hold("lesson 05-balance")()
	testkit.Until(t, "it is under way", func() bool { return listed().Status == result.Running })
}

// A run that this lab can't read stands in the list with the reason, is read once, and counts as none of its lesson's.
func TestRunOfAnotherVersionIsListed(t *testing.T) {
	t.Parallel()
	const name = "20261121T100000Z-00-tour"
	b, _ := newLessonBench(t, standInRun)
	b.putRun(name, aRun, func(text string) string { return strings.Replace(text, `"version": 3`, `"version": 2`, 1) })
	p, _ := b.ready()
	for range 2 {
		if status, text := b.get("/runs"); status != 200 || !strings.Contains(text, "has version 2") {
			t.Errorf("/runs: %d %s", status, text)
		}
	}
	if read := p.read[name]; !read.shown.Unreadable || len(p.runsOf("00-tour")) != 0 {
		t.Errorf("%+v is kept", read)
	}
	if _, text := b.get("/lessons"); strings.Contains(text, "1 run") {
		t.Errorf("/lessons counts it: %s", text)
	}
}

// A lesson that a terminal runs shows how far it is, and what became of it.
func TestTerminalsLessonShowsItsProgress(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	const name = "20261121T161200Z-05-balance"
	b.putRun(name, aRun, func(text string) string {
		return strings.Replace(text, `"status": "finished"`, `"status": "running"`, 1)
	})
	b.at(result.Progress{Run: "20261120T100000Z-05-balance", Done: 9, Of: 9}) // what another one left
	p, _ := b.ready()
	testkit.Until(b.t, "what was left is seen", func() bool { p.checkLock(); return p.lock.stale != "" })
	free := b.hold("lesson 05-balance")
	testkit.Until(b.t, "it shows", func() bool { return b.state().Lesson != nil })
	if r := b.state().Lesson; r.Name != "05-balance" || r.Run != "" || r.Of != 0 || !r.Elsewhere {
		t.Errorf("before it has said how far it is: %+v", r)
	}
	b.at(result.Progress{Run: name, Cell: "direct", Done: 3, Of: 12, SecondsLeft: 40,
		Pair: &result.PairProgress{Groups: 24, Ratio: 0.81, Lo: 0.78, Hi: 0.85, Until: 0.05}})
	testkit.Until(b.t, "its progress shows", func() bool { return b.state().Lesson.Done == 3 })
	if r := b.state().Lesson; r.Run != name || r.Of != 12 || r.SecondsLeft != 40 || r.Cell != "direct" ||
		r.Pair != "24 groups, ratio 0.81 (0.78 to 0.85), until 5 %" {
		t.Errorf("%+v", r)
	}
	if status, text := b.get("/runs/" + name); status != 200 || !strings.Contains(text, "This run goes on.") {
		t.Errorf("its page: %d %s", status, text)
	}
	b.putRun(name, aRun, same)
	free()
	testkit.Until(b.t, "its outcome shows", func() bool { s := b.state(); return s.Lesson == nil && s.LastRun != nil })
	if last := b.state().LastRun; last.Run != name || last.Lesson != "05-balance" || last.Status != "finished" {
		t.Errorf("%+v", last)
	}
}
