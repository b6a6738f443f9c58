package lesson

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/test/testkit"
)

const scenarioPlan = `title: T
question: Q?
explanation: E.
minutes: 1
experiments:
  - name: one
    paths: [direct]
    latencies: [none]
    scenarios:
      - name: SET
        steps:
          - A: SET work_mem = '9MB'
          - B: \bind_named ''
            sees: error
`

func TestScenariosNeedNoScript(t *testing.T) {
	script := filepath.Join(t.TempDir(), "20-state.js")
	testkit.OK(t, os.WriteFile(PlanOf(script), []byte(scenarioPlan), 0o644))
	l, err := Read(script)
	testkit.OK(t, err)
	if l.File != PlanOf(script) {
		t.Errorf("its file is %s", l.File)
	}
	cells, err := l.Cells([]PathTraits{{Name: "direct", Plain: true, Roles: []string{"app"}}})
	testkit.OK(t, err)
	l.Experiments[0].Scenarios[0].Documented = []Documented{{Source: "a page", Works: []string{"drect"}}}
	if _, err := l.Cells([]PathTraits{{Name: "direct"}}); err == nil ||
		!strings.Contains(err.Error(), "did you mean direct?") {
		t.Errorf("of a path that isn't one it says %v", err)
	}
	if len(cells) != 1 || cells[0].DrivenBy() != Itself || cells[0].ID != "one.direct.none.scenarios.2c.simple" {
		t.Errorf("its cells are %+v", cells)
	}
	client, does := cells[0].Scenarios[0].Steps[1].Who()
	if verb, rest := Verb(does); client != "B" || verb != VerbBindNamed || rest != "''" {
		t.Errorf("client %s does %q with %q", client, verb, rest)
	}
}

func TestScenariosThatCannotBe(t *testing.T) {
	for what, test := range map[string]struct{ old, new, want string }{
		"verb": {`\bind_named`, `\bind_name`,
			`SET, step 2: \bind_name: unknown verb "bind_name": did you mean bind_named?`},
		"no name": {`\bind_named ''`, `\bind_named`, `\bind_named needs NAME`},
		"both":    {`- B: `, `- A: SELECT 1` + "\n            B: ", "B: it can't stand here"},
		"nobody":  {`- B: \bind_named ''`, `-`, "it needs B"},
		"workload": {`latencies: [none]`, "latencies: [none]\n    workload: select",
			"workload: it can't stand here beside scenarios"},
		"twice": {`      - name: SET`, "      - name: SET\n        steps: [{A: SELECT 1}]\n      - name: SET",
			"two scenarios"},
	} {
		t.Run(what, func(t *testing.T) {
			_, err := Parse("20-state.yaml", []byte(strings.Replace(scenarioPlan, test.old, test.new, 1)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("it says %v, wanted %q", err, test.want)
			}
		})
	}
}
