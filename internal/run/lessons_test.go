package run

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/lesson"
)

// planOf is the plan of a script of this repository, in a lab of 600 connections.
func planOf(t *testing.T, script string, o lesson.Override) *plan {
	t.Helper()
	t.Setenv("LAB_ROOT", "../..")
	t.Setenv("COMPOSE_PROFILES", "*")
	t.Setenv("LAB_MAX_CONNECTIONS", "600")
	l, err := readLesson(script)
	if err != nil {
		t.Fatal(err)
	}
	p, err := prepare(l, o)
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
		if p.lesson.Full != nil {
			planOf(t, file, lesson.Override{Full: true})
			planOf(t, file, lesson.Override{Full: true, Experiments: everything})
		}
		for _, c := range p.lesson.Charts {
			if strings.ContainsAny(c.Title, "0123456789") {
				t.Errorf("%s: an option may change the number in a chart's title: %s", file, c.Title)
			}
		}
		e := newEstimate(p.document(0), p.expected())
		if takes := e.all(); slices.Contains(files, file) && (takes > longest || e.left[atMost] > 0 && e.share == 0) {
			t.Errorf("%s takes %s, %v of the most that pairs and fixed work may take", file, takes, e.share)
		}
	}
}

var update = flag.Bool("update", false, "write testdata/pairs.txt anew")

// testdata/pairs.txt says of every lesson which of its comparisons and findings are measured side by side, and why the
// others aren't. 'go test ./internal/run -update' writes it: read what has changed.
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
func writePairs(out *strings.Builder, p *plan) {
	fmt.Fprintf(out, "%s\n\n", p.lesson.Name)
	for _, q := range p.pairs {
		fmt.Fprintf(out, "  side by side until %s, at most %g s: %s\n    %s\n    %s\n", lesson.Percent(q.Until), q.AtMost,
			strings.Join(q.Metrics, ", "), q.Of, q.To)
	}
	for _, u := range p.unpaired {
		fmt.Fprintf(out, "  in blocks, %s: %s\n    %s\n    %s\n", u.Reason, u.Metric, u.Of, u.To)
	}
	for _, c := range p.cells {
		if c.Paired > 0 {
			fmt.Fprintf(out, "  %d repeats, %d of them in pairs: %s\n", c.Wanted, c.Paired, c.ID)
		}
	}
	out.WriteString("\n")
}

func TestWays(t *testing.T) {
	until, atMost := lesson.Percent(0.03), 90.0
	tests := []struct {
		name     string
		override lesson.Override
		lines    []string // of the table, without the spaces between columns
		takes    string   // a pattern
	}{
		{"as it is", lesson.Override{}, []string{
			"comparison light, 45 clients tps side by side, until 5 %, at most 45 s",
			"comparison light, 5 clients tps 6 blocks: pgpool draws the nodes of only 5 sessions, once a pair",
		}, `^3 pairs and 36 repeats, about (\d:\d\d)(?:, (\d:\d\d) at most)?$`},
		{"as the command line says", lesson.Override{Until: &until, AtMost: &atMost}, []string{
			"comparison light, 45 clients tps side by side, until 3 %, at most 90 s",
		}, `^3 pairs and 36 repeats`},
		{"a part of it", lesson.Override{Experiments: []string{"heavy"}}, []string{
			"comparison heavy, 20 clients tps side by side, until 10 %, at most 45 s",
		}, `^1 pair and 14 repeats, \d:\d\d at most$`},
		{"no pairs", lesson.Override{NoPairs: true}, []string{"comparison light, 45 clients tps 6 blocks"},
			`^66 repeats, about \d:\d\d$`},
		{"repeats are in blocks", lesson.Override{Values: map[string][]string{"repeats": {"1"}}},
			[]string{"comparison light, 45 clients tps 1 block"},
			`^16 repeats, about \d:\d\d$`},
	}
	spaces := regexp.MustCompile(` +`)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := planOf(t, "../../k6/lessons/05-balance.js", test.override)
			var table strings.Builder
			doc := p.document(0)
			if err := p.writeWays(&table, doc); err != nil {
				t.Fatal(err)
			}
			ways, takes := spaces.ReplaceAllString(table.String(), " "), p.takes(doc)
			for _, line := range test.lines {
				if strings.Count("\n"+ways, "\n"+line+"\n") != 1 {
					t.Errorf("%q isn't once in\n%s", line, ways)
				}
			}
			found := regexp.MustCompile(test.takes).FindStringSubmatch(takes)
			if found == nil || len(found) == 3 && found[2] != "" && found[2] < found[1] {
				t.Errorf("it takes %q", takes)
			}
		})
	}
}
