package test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/result"
)

var (
	lessonFiles = regexp.MustCompile(
		"(?s)Save this as `(k6/lessons/[a-z0-9-]+\\.(?:yaml|js))`:\n\n```(?:yaml|js)\n(.*?)```")
	consoleLines = regexp.MustCompile(`(?m)^\$ \./scripts/(.+)$`)
)

// The page that tells how to add a lesson is followed to the letter: its two files are saved and its commands are
// typed.
func TestAddingALessonAsItsPageSays(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "adding-a-lesson.md"))
	if err != nil {
		t.Fatal(err)
	}
	files := lessonFiles.FindAllStringSubmatch(string(page), -1)
	commands := consoleLines.FindAllStringSubmatch(string(page), -1)
	if len(files) != 2 || len(commands) == 0 {
		t.Fatalf("the page has not two files to save, or no command to type: %q, %q", files, commands)
	}
	for _, file := range files {
		saveLesson(t, filepath.Join(root, file[1]), file[2])
	}
	for _, c := range commands {
		words := strings.Fields(c[1])
		a := start(t, words[0], words[1:]...).wait(t, 4*time.Minute)
		if a.status != 0 {
			t.Fatalf("%s: exit status %d\n%s", c[0], a.status, a.all())
		}
		switch {
		case words[0] != "run":
		case strings.Contains(c[1], "--dry-run"):
			if !regexp.MustCompile(`(?m)^rows +4 +6 +direct`).MatchString(a.all()) {
				t.Errorf("%s lists no experiment with 4 cells and 6 repeats each:\n%s", c[0], a.all())
			}
		default:
			checkAdded(t, a.run(t), strings.Contains(c[1], "--repeats"))
		}
	}
}

// saveLesson writes a lesson's file for as long as the test runs; there must be none yet.
func saveLesson(t testing.TB, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(name) })
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// checkAdded wants every cell of the page's lesson to have run without errors, and the metrics to show what the
// page says that they do: one by one pays the round trip twenty times.
func checkAdded(t *testing.T, r *result.Run, once bool) {
	t.Helper()
	if r.Status != result.Finished || len(r.Cells) != 4 {
		t.Fatalf("the run is %s (%s) and has %d cells, wanted 4", r.Status, r.Reason, len(r.Cells))
	}
	for _, c := range r.Cells {
		last := c.Last()
		if last == nil || len(last.Measured.Errors) > 0 {
			t.Errorf("%s failed: %+v", c.ID, c.Repeats)
			continue
		}
		if want := map[bool]int{true: 1, false: 6}[once]; len(c.Repeats) < want {
			t.Errorf("%s ran %d times, wanted %d", c.ID, len(c.Repeats), want)
		}
		checkCounts(t, *last)
		response := last.Measured.Trends["pg_response_time"].Med
		if far := c.Latency.MS() == 5; far && (c.Workload == "oneByOne") != (response > 90) {
			t.Errorf("%s takes %.1f ms an iteration", c.ID, response)
		}
	}
}
