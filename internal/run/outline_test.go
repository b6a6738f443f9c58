package run

import (
	"regexp"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/topology"
)

// waysOf is what --dry-run says of a lesson's comparisons, and of how long it takes.
func waysOf(t *testing.T, script string, o lesson.Override) (ways, takes string) {
	t.Helper()
	t.Setenv("LAB_MAX_CONNECTIONS", setting(t, "LAB_MAX_CONNECTIONS"))
	set, err := topology.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	l := planOf(t, script)
	if err := l.Apply(o); err != nil {
		t.Fatal(err)
	}
	p, err := makePlan(l, set)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := p.writeWays(&table); err != nil {
		t.Fatal(err)
	}
	p.override = o
	return table.String(), p.takes()
}

func TestWays(t *testing.T) {
	const script = "../../k6/lessons/05-balance.js"
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
			ways, takes := waysOf(t, script, test.override)
			ways = spaces.ReplaceAllString(ways, " ")
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
