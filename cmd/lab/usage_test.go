package main

import (
	"errors"
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
		`invalid argument "abc" for "--repeats" flag: strconv.ParseInt: parsing "abc": invalid syntax`:   `--repeats "abc": give a whole number, such as 6`,
		`invalid argument "x" for "-s, --seconds" flag: strconv.ParseFloat: parsing "x": invalid syntax`: `--seconds "x": give a number, such as 1.5`,
		`unknown flag: --repeat`:         `unknown flag: --repeat: did you mean --repeats?`,
		`unknown flag: --odd`:            `unknown flag: --odd: see --help`,
		`flag needs an argument: --seed`: `flag needs an argument: --seed`,
	} {
		if got := explainFlag(c, errors.New(said)).Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
