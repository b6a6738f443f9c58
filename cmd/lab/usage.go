package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pooler-lab/internal/suggest"
)

// scripts are the commands that have a script of their own name on the host; the others are reached by scripts/lab.
var scripts = []string{"crosscheck", "k6", "latency", "pgbench", "psql", "report", "reset", "run", "selftest", "verdict"}

// showAsTyped makes the help of all commands show them as people type them on the host.
func showAsTyped(root *cobra.Command) {
	cobra.AddTemplateFunc("typed", typed)
	names := strings.NewReplacer("{{.UseLine}}", "{{typed .UseLine}}", "{{.CommandPath}}", "{{typed .CommandPath}}")
	root.SetUsageTemplate(names.Replace(root.UsageTemplate()))
}

// typed returns a command line of the lab's program as it is typed on the host: "lab psql PATH" is
// "scripts/psql PATH".
func typed(line string) string {
	name, rest, ok := strings.Cut(line, " ")
	if word, _, _ := strings.Cut(rest, " "); ok && slices.Contains(scripts, word) {
		return "scripts/" + rest
	}
	return "scripts/" + strings.TrimSpace(name+" "+rest)
}

var (
	unknownFlag = regexp.MustCompile(`^unknown flag: --(.+)$`)
	noNumber    = regexp.MustCompile(`^invalid argument (".*") for "(?:-., )?(--[a-z-]+)" flag: strconv\.Parse(Int|Float)`)
)

// explainFlag names the flag that was meant, or says what a flag wants that got no number.
func explainFlag(c *cobra.Command, err error) error {
	if match := unknownFlag.FindStringSubmatch(err.Error()); match != nil {
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if closest := suggest.Closest(match[1], known); closest != "" {
			return fmt.Errorf("%w: did you mean --%s?", err, closest)
		}
		return fmt.Errorf("%w: see --help", err)
	}
	match := noNumber.FindStringSubmatch(err.Error())
	if match == nil {
		return err
	}
	return fmt.Errorf("%s %s: give a %s", match[2], match[1], map[string]string{"Int": "whole number, such as 6", "Float": "number, such as 1.5"}[match[3]])
}
