package main

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
	const not, syntax = `invalid argument "x" for `, `: parsing "x": invalid syntax`
	for said, want := range map[string]string{
		not + `"--repeats" flag: strconv.ParseInt` + syntax:       `--repeats "x": give a whole number, such as 6`,
		not + `"-s, --seconds" flag: strconv.ParseFloat` + syntax: `--seconds "x": give a number, such as 1.5`,
		not + `"--seed" flag: strconv.ParseUint` + syntax:         `--seed "x": give a whole number, not below 0, such as 6`,
		not + `"--clients" flag: strconv.Atoi` + syntax:           `--clients "x": give whole numbers, such as 1,5`,
		not + `"--dry-run" flag: strconv.ParseBool` + syntax:      `--dry-run "x": give true or false, or nothing`,
		`unknown flag: --repeat`:                                  `unknown flag: --repeat: did you mean --repeats?`,
		`unknown flag: --odd`:                                     `unknown flag: --odd: see --help`,
		`flag needs an argument: --seed`:                          `flag needs an argument: --seed`,
	} {
		if got := explainFlag(c, errors.New(said)).Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Help fits a terminal, and an error about a flag names no function of Go's library.
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
			for flag := range flagsOf(command) {
				err := command.ParseFlags([]string{"--" + flag + "=abc"})
				if err != nil && strings.Contains(explainFlag(command, err).Error(), "strconv") {
					t.Errorf("--%s=abc: %v", flag, explainFlag(command, err))
				}
			}
		})
	}
}

// flagsOf yields the names of a command's own flags.
func flagsOf(command *cobra.Command) iter.Seq[string] {
	return func(yield func(string) bool) {
		more := true
		command.Flags().VisitAll(func(f *pflag.Flag) { more = more && yield(f.Name) })
	}
}
