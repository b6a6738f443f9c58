package run

import (
	"regexp"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/plan"
	"pooler-lab/test/testkit"
)

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
	t.Setenv("LAB_ROOT", "../..")
	t.Setenv("COMPOSE_PROFILES", "*")
	t.Setenv("LAB_MAX_CONNECTIONS", "600")
	spaces := regexp.MustCompile(` +`)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, err := plan.Read("../../k6/lessons/05-balance.js")
			testkit.OK(t, err)
			p, err := plan.New(l, test.override)
			testkit.OK(t, err)
			var table strings.Builder
			doc := p.Document(0)
			if err := writeWays(&table, p, doc); err != nil {
				t.Fatal(err)
			}
			ways, takes := spaces.ReplaceAllString(table.String(), " "), takes(p, doc)
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
