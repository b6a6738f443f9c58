package topology

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// NewCommand returns `lab paths`, which lists all paths.
func NewCommand() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "paths",
		Short: "List the paths: what each is, where a client connects, which links can lie in it",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			set, err := Load(Root())
			if err != nil {
				return err
			}
			if asJSON {
				encoder := json.NewEncoder(command.OutOrStdout())
				encoder.SetIndent("", "  ")
				return encoder.Encode(set.Paths)
			}
			return set.writeTable(command.OutOrStdout())
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

func (s *Set) writeTable(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PATH\tMEANING\n  WITHOUT LATENCY\tOVER ITS LINKS")
	for _, p := range s.Paths {
		plain := p.Plain.String()
		if p.WithoutLatency != "" {
			plain = "as " + p.WithoutLatency
		}
		meaning := p.Meaning
		if p.Unavailable != "" {
			meaning = "(off) " + meaning
		}
		fmt.Fprintf(table, "%s\t%s\n  %s\t%s\n", p.Name, meaning, plain, p.overText())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, p := range s.Paths {
		if p.Unavailable != "" {
			fmt.Fprintf(w, "\n%s is off: %s\n", p.Name, p.Unavailable)
		}
	}
	return nil
}

// overText returns the ways with latency, such as "client-primary: toxiproxy:15001/lab".
func (p Path) overText() string {
	if len(p.Over) == 0 {
		return "no link"
	}
	ways := make([]string, len(p.Over))
	for i, o := range p.Over {
		ways[i] = strings.Join(o.Links, " + ") + ": " + o.Endpoint.String()
	}
	return strings.Join(ways, "; ")
}
