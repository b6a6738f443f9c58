package main

import (
	"errors"
	"testing"
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

func TestExplainNumber(t *testing.T) {
	for said, want := range map[string]string{
		`invalid argument "abc" for "--repeats" flag: strconv.ParseInt: parsing "abc": invalid syntax`:   `--repeats "abc": give a whole number, such as 6`,
		`invalid argument "x" for "-s, --seconds" flag: strconv.ParseFloat: parsing "x": invalid syntax`: `--seconds "x": give a number, such as 1.5`,
		`unknown flag: --repeat`: `unknown flag: --repeat`,
	} {
		if got := explainNumber(nil, errors.New(said)).Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
