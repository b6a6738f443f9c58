package run

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
)

var update = flag.Bool("update", false, "write testdata/pairs.txt anew")

// testdata/pairs.txt says of every lesson which of its comparisons and findings are measured side by side, and why the
// others aren't. 'go test ./internal/run -update' writes it: read what has changed.
func TestPairsOfLessons(t *testing.T) {
	t.Setenv("COMPOSE_PROFILES", "*")
	t.Setenv("LAB_MAX_CONNECTIONS", setting(t, "LAB_MAX_CONNECTIONS"))
	set, files := allLessons(t)
	var text strings.Builder
	for _, file := range files {
		l := planOf(t, file)
		if err := l.Apply(lesson.Override{Experiments: []string{lesson.All}}); err != nil {
			t.Fatal(err)
		}
		p, err := makePlan(l, set)
		if err != nil {
			t.Fatal(err)
		}
		writePairs(&text, p)
	}
	const golden = "testdata/pairs.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(text.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(wanted)) {
		if i >= len(got) || i >= len(wanted) || got[i] != wanted[i] {
			t.Fatalf("from line %d on it is not as in %s:\n%s", i+1, golden, strings.Join(got[min(i, len(got)-1):], "\n"))
		}
	}
}

// setting is a variable's value in .env.
func setting(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../.env")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf(".env has no %s", name)
	return ""
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
