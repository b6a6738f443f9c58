package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pooler-lab/internal/wording"
)

// scripts are the commands that have a script of their own name on the host; the others are reached by scripts/lab.
var scripts = []string{
	"break", "connect", "k6", "latency", "pgbench", "psql", "report", "reset", "run", "selftest", "verdict",
}

// showAsTyped makes the help of all commands show them as people type them on the host, no wider than a terminal.
func showAsTyped(root *cobra.Command) {
	cobra.AddTemplateFunc("typed", typed)
	cobra.AddTemplateFunc("beside", func(padding int, text string) string {
		indent := strings.Repeat(" ", 2+padding+1) // of cobra's own list of commands
		return strings.Join(wording.Wrap(text, columns-len(indent)), "\n"+indent)
	})
	usage := strings.NewReplacer(
		"{{.UseLine}}", "{{typed .UseLine}}",
		"{{.CommandPath}}", "{{typed .CommandPath}}",
		"{{.Short}}", "{{beside .NamePadding .Short}}",
		"Flags.FlagUsages", fmt.Sprintf("Flags.FlagUsagesWrapped %d", columns),
	)
	root.SetUsageTemplate(usage.Replace(root.UsageTemplate()))
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

var unknownFlag = regexp.MustCompile(`^unknown flag: --(.+)$`)

// explainFlag names the flag that was meant.
func explainFlag(c *cobra.Command, err error) error {
	match := unknownFlag.FindStringSubmatch(err.Error())
	if match == nil {
		return err
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if closest := wording.Closest(match[1], known); closest != "" {
		return fmt.Errorf("%w: did you mean --%s?", err, closest)
	}
	return fmt.Errorf("%w: see --help", err)
}

// columns is how wide help may be.
const columns = 96
