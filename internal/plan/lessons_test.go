package plan

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/lesson"
)

// planOf is the plan of a script of this repository, in a lab of 600 connections.
func planOf(t *testing.T, script string, o lesson.Override) *Plan {
	t.Helper()
	t.Setenv("LAB_ROOT", "../..")
	t.Setenv("COMPOSE_PROFILES", "*")
	t.Setenv("LAB_MAX_CONNECTIONS", "600")
	l, err := Read(script)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(l, o)
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return p
}

// lessons are the scripts of all lessons.
func lessons(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../k6/lessons/*.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lessons: %v", err)
	}
	return files
}

// longest is what a plain run of a lesson may take.
const longest = 5 * time.Minute

// Each selector of each lesson, and of the plans beside them, picks one of its cells, side experiments and full sizes
// included. No chart's title has a number, and a plain run of a lesson ends within five minutes by its own countdown.
func TestLessons(t *testing.T) {
	everything := []string{lesson.All}
	files := lessons(t)
	for _, file := range append(files, "../../k6/crosscheck.js", "../../k6/selftest.js") {
		p := planOf(t, file, lesson.Override{})
		planOf(t, file, lesson.Override{Experiments: everything})
		if p.Lesson.Full != nil {
			planOf(t, file, lesson.Override{Full: true})
			planOf(t, file, lesson.Override{Full: true, Experiments: everything})
		}
		for _, c := range p.Lesson.Charts {
			if strings.ContainsAny(c.Title, "0123456789") {
				t.Errorf("%s: an option may change the number in a chart's title: %s", file, c.Title)
			}
		}
		e := NewEstimate(p.Document(0), p.Expected())
		if takes := e.All(); slices.Contains(files, file) && (takes > longest || e.left[atMost] > 0 && e.share == 0) {
			t.Errorf("%s takes %s, %v of the most that pairs and fixed work may take", file, takes, e.share)
		}
	}
}

var update = flag.Bool("update", false, "write testdata/pairs.txt anew")

// testdata/pairs.txt says of every lesson which of its comparisons and findings are measured side by side, and why the
// others aren't. 'go test ./internal/plan -update' writes it: read what has changed.
func TestPairsOfLessons(t *testing.T) {
	var text strings.Builder
	for _, file := range lessons(t) {
		writePairs(&text, planOf(t, file, lesson.Override{Experiments: []string{lesson.All}}))
	}
	const golden = "testdata/pairs.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || text.String() != string(want) {
		t.Errorf("%s differs (%v): with -update it is written anew, and git diff shows how", golden, err)
	}
}

// writePairs writes which pairs a plan has, which comparisons have none, and how often cells run that are part of a
// pair.
func writePairs(out *strings.Builder, p *Plan) {
	fmt.Fprintf(out, "%s\n\n", p.Lesson.Name)
	for _, q := range p.pairs {
		fmt.Fprintf(out, "  side by side until %s, at most %g s: %s\n    %s\n    %s\n", lesson.Percent(q.Until), q.AtMost,
			strings.Join(q.Metrics, ", "), q.Of, q.To)
	}
	for _, u := range p.unpaired {
		fmt.Fprintf(out, "  in blocks, %s: %s\n    %s\n    %s\n", u.Reason, u.Metric, u.Of, u.To)
	}
	for _, c := range p.Cells {
		if c.Paired > 0 {
			fmt.Fprintf(out, "  %d repeats, %d of them in pairs: %s\n", c.Wanted, c.Paired, c.ID)
		}
	}
	out.WriteString("\n")
}
