package test

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pooler-lab/internal/result"
)

var (
	lessonFiles = regexp.MustCompile(
		"(?s)Save this as `(k6/lessons/[a-z0-9-]+\\.(?:yaml|js))`:\n\n```(?:yaml|js)\n(.*?)```")
	consoleLines = regexp.MustCompile(`(?m)^\$ \./scripts/(.+)$`)
)

// The page that tells how to add a lesson is followed to the letter: its files are saved and its commands are typed,
// but for one that takes minutes. It runs the lesson as planned, and the dry run before it has said what that is.
func TestAddingALessonAsItsPageSays(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "adding-a-lesson.md"))
	if err != nil {
		t.Fatal(err)
	}
	files := lessonFiles.FindAllStringSubmatch(string(page), -1)
	commands := consoleLines.FindAllStringSubmatch(string(page), -1)
	if len(files) != 3 || len(commands) == 0 {
		t.Fatalf("the page has not three files to save, or no command to type: %q, %q", files, commands)
	}
	for _, file := range files {
		saveLesson(t, filepath.Join(root, file[1]), file[2])
	}
	const planned, scenarios = "run 20-one-by-one", "run 21-lock-timeout"
	said := map[string]string{}
	for _, c := range commands {
		if c[1] == planned {
			continue
		}
		words := strings.Fields(c[1])
		a := start(t, words[0], words[1:]...).wait(t)
		if said[c[1]] = a.all(); a.status != 0 {
			t.Fatalf("%s: exit status %d\n%s", c[0], a.status, a.all())
		}
		switch {
		case c[1] == scenarios:
			checkAddedScenarios(t, a.run(t))
		case words[0] == "run" && !strings.Contains(c[1], "--dry-run"):
			checkAdded(t, a.run(t))
		}
	}
	dry := said[planned+" --dry-run"]
	if !regexp.MustCompile(`(?m)^rows +4 +6 +direct`).MatchString(dry) {
		t.Errorf("the dry run of the lesson lists no experiment with 4 cells and 6 repeats each:\n%s", dry)
	}
}

// checkAddedScenarios wants the scenario of the page to work, but in transaction mode.
func checkAddedScenarios(t *testing.T, r *result.Run) {
	t.Helper()
	for _, c := range r.Cells {
		want := map[string]result.ScenarioOutcome{"pgbouncer-transaction": result.Leaks}[c.Path]
		if last := c.Last(); last == nil || len(last.Scenarios) != 1 ||
			last.Scenarios[0].Outcome != cmp.Or(want, result.Works) {
			t.Errorf("%s: %s %s, %+v", c.Path, c.Status, c.Reason, last)
		}
	}
}

// savePlan writes a lesson's plan and script for as long as the test runs.
func savePlan(t testing.TB, name, plan, script string) {
	t.Helper()
	file := filepath.Join(root, "k6", "lessons", name)
	saveLesson(t, file+".yaml", plan)
	saveLesson(t, file+".js", script)
}

// saveLesson writes a file of a lesson for as long as the test runs; there must be none yet.
func saveLesson(t testing.TB, name, text string) {
	t.Helper()
	if _, err := os.Lstat(name); err == nil {
		t.Fatalf("%s is there already", name)
	}
	t.Cleanup(func() { os.Remove(name) })
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkAdded wants every cell of the page's lesson to have run once without errors, and the metrics to show what the
// page says that they do: one by one pays the round trip twenty times.
func checkAdded(t *testing.T, r *result.Run) {
	t.Helper()
	if r.Status != result.Finished || len(r.Cells) != 4 {
		t.Fatalf("the run is %s (%s) and has %d cells, wanted 4", r.Status, r.Reason, len(r.Cells))
	}
	for _, c := range r.Cells {
		last := c.Last()
		if last == nil || len(last.Measured.Errors) > 0 {
			t.Errorf("%s failed: %s", c.ID, reasons(c))
			continue
		}
		checkCounts(t, *last)
		response := last.Measured.Trends["pg_response_time"].Med
		if c.Latency.MS() == 5 && c.Workload == "oneByOne" && response < 20*(5-early) {
			t.Errorf("%s takes %.1f ms an iteration, and twenty round trips of 5 ms", c.ID, response)
		}
	}
}
