package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// scripts are the names of what a person types.
func scripts(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, "scripts"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// Each script explains itself: what it does, how it is called, and an example, without touching anything.
func TestEachScriptHasHelp(t *testing.T) {
	t.Parallel()
	down := []string{"COMPOSE_PROJECT_NAME=" + project + "-none"}
	for _, name := range scripts(t) {
		for state, env := range map[string][]string{"lab up": nil, "lab down": down} {
			t.Run(name+"/"+state, func(t *testing.T) {
				a := command(t, env, filepath.Join(root, "scripts", name), "--help")
				if a.status != 0 || a.err != "" || !strings.Contains(strings.ToLower(a.out), "usage:") {
					t.Errorf("--help: exit status %d\n%s", a.status, a.all())
				}
			})
		}
	}
}

// The list has each script in a line, and one that isn't there is named.
func TestHelpListsTheScripts(t *testing.T) {
	t.Parallel()
	a := command(t, nil, filepath.Join(root, "scripts", "help"))
	lines := strings.Split(strings.TrimSpace(a.out), "\n")
	if names := scripts(t); a.status != 0 || len(lines) != len(names) {
		t.Fatalf("exit status %d, %d lines for %d scripts\n%s", a.status, len(lines), len(names), a.all())
	}
	for i, name := range scripts(t) {
		if words := strings.Fields(lines[i]); len(words) < 3 || words[0] != name {
			t.Errorf("line %d says nothing of %s: %s", i+1, name, lines[i])
		}
	}
	said := refused(t, nil, "help", "latencee")
	if !strings.Contains(said, "there is no script 'latencee': scripts/help lists all") {
		t.Errorf("said %q", said)
	}
}

func TestScriptsWantALabThatIsUp(t *testing.T) {
	t.Parallel()
	env := []string{"COMPOSE_PROJECT_NAME=" + project + "-none"}
	for _, line := range []string{
		"latency", "latency 10ms all", "psql direct", "pgbench direct -S", "k6 run x.js", "run 00-tour", "reset", "lab paths",
		"connect",
	} {
		t.Run(line, func(t *testing.T) {
			words := strings.Fields(line)
			said := refused(t, env, words[0], words[1:]...)
			if !strings.Contains(said, "the lab isn't up: start it with scripts/up") || !onePiece(said) {
				t.Errorf("said %q", said)
			}
		})
	}
}

// What can't be done is refused in a line that says what is wrong, before anything happens.
func TestBadInputIsRefused(t *testing.T) {
	conn := connect(t, "app", primary)
	before := checkData(t, conn, scale) // what other tests wrote is there
	says := map[string]string{
		"run":                           "00-tour",
		"run 09-nope":                   `no lesson "09-nope"`,
		"run 00-tour more":              "arg",
		"run 00-tour --paths nope":      `unknown path "nope"`,
		"run 00-tour --latencies -5":    "latencies: -5 is too small",
		"run 00-tour --rate -1":         "rate: -1 is too small",
		"reset --scale 0":               "whole number from 1 to 20000",
		"reset --scale 20001":           "whole number from 1 to 20000",
		"reset --scale ten":             `"ten"`,
		"reset everything":              "everything",
		"latency 10ms client-primry":    "did you mean client-primary?",
		"psql drect":                    "did you mean direct?",
		"psql direct -X -c SELEC":       "syntax error",
		"pgbench direct -f nowhere.sql": "nowhere.sql",
		"k6 run nowhere.js":             "nowhere.js",
	}
	for line, why := range says {
		if a := lab(t, line); a.status == 0 || !strings.Contains(a.all(), why) {
			t.Errorf("lab %s: exit status %d, wanted a refusal with %q, got:\n%s", line, a.status, why, a.all())
		}
	}
	if after := checkData(t, conn, scale); after != before {
		t.Errorf("a refusal touched the data: %q, and before %q", after, before)
	}
}
