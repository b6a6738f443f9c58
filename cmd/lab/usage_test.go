package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestTyped(t *testing.T) {
	for line, want := range map[string]string{
		"lab":                  "scripts/lab",
		"lab paths [flags]":    "scripts/lab paths [flags]",
		"lab psql PATH [LINK]": "scripts/psql PATH [LINK]",
		"lab latency cut LINK": "scripts/latency cut LINK",
		"lab latency":          "scripts/latency",
		"lab [command]":        "scripts/lab [command]",
	} {
		if got := typed(line); got != want {
			t.Errorf("%q is shown as %q, want %q", line, got, want)
		}
	}
}

func TestExplainFlag(t *testing.T) {
	c := &cobra.Command{}
	c.Flags().Int("repeats", 0, "")
	for said, want := range map[string]string{
		`unknown flag: --repeat`:         `unknown flag: --repeat: did you mean --repeats?`,
		`unknown flag: --odd`:            `unknown flag: --odd: see --help`,
		`flag needs an argument: --seed`: `flag needs an argument: --seed`,
	} {
		if got := explainFlag(c, errors.New(said)).Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Help fits a terminal.
func TestHelpIsNoWiderThanATerminal(t *testing.T) {
	root := newRoot()
	for _, command := range append(root.Commands(), root) {
		t.Run(command.Name(), func(t *testing.T) {
			var out strings.Builder
			command.SetOut(&out)
			if err := command.Help(); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				if len(line) > 101 {
					t.Errorf("%d columns: %s", len(line)-1, line)
				}
			}
		})
	}
}
