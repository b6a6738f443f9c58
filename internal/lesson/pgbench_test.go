package lesson

import (
	"os/exec"
	"strings"
	"testing"
)

// The scripts that a plan can name are pgbench's own, word for word.
func TestOwnScripts(t *testing.T) {
	if _, err := exec.LookPath("pgbench"); err != nil {
		t.Skip("there is no pgbench")
	}
	for name, text := range ownScripts {
		said, err := exec.Command("pgbench", "--show-script="+name).CombinedOutput()
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(string(said), "\n")
		if strings.TrimSpace(body) != strings.TrimSpace(text) {
			t.Errorf("%s is\n%s", name, body)
		}
	}
}

// Both draw an account of those that the cell reads.
func TestScriptsDrawHotRows(t *testing.T) {
	for name := range ownScripts {
		if text := pgbenchScript(name); !strings.HasPrefix(text, "\\set aid random(1, :accounts)\n") {
			t.Errorf("%s is %q", name, text)
		}
	}
}

func TestCheckScript(t *testing.T) {
	for script, want := range map[string]string{
		"select-only":                     "",
		"tpcb-like":                       "",
		"SELECT 1;":                       "",
		"\\set a 1\nSELECT :a\n":          "",
		"BEGIN;\nSELECT 1;\nCOMMIT;\n":    "",
		"-- nothing\n\\sleep 1 ms\n":      "there is no statement",
		"selectonly":                      "did you mean select-only?",
		"SELECT 1;\nSELECT 2;":            "between BEGIN and END",
		"BEGIN;\nSELECT 1;\nSELECT 2;":    "between BEGIN and END",
		"BEGIN;\nSELECT 1\\; SELECT 2;\n": "between BEGIN and END",
	} {
		err := checkScript(pgbenchScript(script))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", script, err)
		}
	}
	if Explicit(pgbenchScript("select-only")) || !Explicit(pgbenchScript("tpcb-like")) {
		t.Error("tpcb-like alone is a transaction of several statements")
	}
}

// driven is a plan whose workload read pgbench can do.
const driven = `
title: t
question: q?
explanation: e
minutes: 1
pgbench: {read: select-only}
experiments:
  - {name: a, workload: read, paths: [direct], latencies: [none], clients: [1], seconds: 1, driver: [k6, pgbench]}
  - {name: b, workload: other, paths: [direct], latencies: [none], clients: [1], seconds: 1}
`

func TestDriver(t *testing.T) {
	paths := []PathTraits{{Name: "direct", Plain: true, Roles: []string{"app"}}}
	cells, err := read(t, driven).Cells(paths)
	if err != nil || len(cells) != 3 {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	if c := cells[1]; c.DrivenBy() != Pgbench || c.PgbenchScript != pgbenchScript("select-only") ||
		!strings.HasSuffix(c.ID, ".prepared.pgbench") {
		t.Errorf("pgbench's cell is %+v", c)
	}
	if c := cells[0]; c.DrivenBy() != K6 || c.Driver != "" || c.PgbenchScript != "" {
		t.Errorf("k6's cell is %+v", c)
	}
	if !(Selector{"driver": Word(K6)}).Picks(&cells[0]) || (Selector{"driver": Word(K6)}).Picks(&cells[1]) {
		t.Error("a selector with driver k6 picks the cells without another")
	}
	l := read(t, driven)
	driver := map[string][]string{"driver": {"pgbench"}}
	if err := l.Apply(Override{Experiments: []string{"a"}, Values: driver}); err != nil {
		t.Fatal(err)
	}
	if cells, err = l.Cells(paths); err != nil || len(cells) != 1 || cells[0].Driver != Pgbench {
		t.Errorf("with --driver pgbench there are %+v, %v", cells, err)
	}
}

func TestRefusedDriver(t *testing.T) {
	for name, test := range map[string]struct {
		change func(string) string
		o      Override
		want   string
	}{
		"a workload without a script": {o: Override{Values: map[string][]string{"driver": {"pgbench"}}},
			want: "experiment b: pgbench has no script of the workload other: the plan's key pgbench has read."},
		"an unknown driver": {o: Override{Values: map[string][]string{"driver": {"jmeter"}}}, want: `unknown word "jmeter"`},
		"an open loop": {change: func(s string) string { return strings.Replace(s, "name: a,", "name: a, rate: 9,", 1) },
			want: "experiment a: pgbench can't drive an open loop"},
		"instances": {change: func(s string) string { return strings.Replace(s, "name: a,", "name: a, instances: [1],", 1) },
			want: "experiment a: pgbench can't drive application instances"},
	} {
		text := driven
		if test.change != nil {
			text = test.change(text)
		}
		l, err := Parse("x.yaml", []byte(text))
		if err == nil {
			err = l.Apply(test.o)
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
