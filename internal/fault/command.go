package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
)

// NewCommand returns `lab break`, which breaks PostgreSQL nodes, heals them, and changes their roles. underWay says
// what is measuring just now ("lesson 00-tour"), not ok where nothing is.
func NewCommand(underWay func() (what string, ok bool)) *cobra.Command {
	return &cobra.Command{
		Use:   "break [VERB [NODE]]",
		Short: "Break a PostgreSQL node, heal it, or change which one is the primary",
		Long: `Shows the PostgreSQL nodes: which one is the primary, and what is broken since when. With a
verb it breaks or heals one, looks until that is true, and says the moment (UTC).

  kill NODE      all processes of its server end at once; its host refuses connections
  stop NODE      a fast shutdown
  freeze NODE    its container is paused: it accepts connections and answers nothing
  unplug NODE    off the network: it answers nothing at all
  heal NODE      undoes that, and waits until it is the primary or follows it
  promote NODE   the standby becomes the primary, where the primary is broken
  switchover     the roles change as planned; poolers that can hold transactions back do
  reset          everything as after scripts/up; it ends transactions that are under way

A standby that is promoted stays the primary until 'switchover', 'reset' or the lab's next start.
The node that was the primary is cloned anew when it is healed. A pooler that is told one
primary follows it at once. One that looks for the primary itself starts anew, and finds it once
both nodes answer.`,
		Example: `  scripts/break kill primary
  scripts/break promote standby
  scripts/break heal primary`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 2 {
				return fmt.Errorf("a verb and a node at most, as in: scripts/break kill primary; got %q", args)
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) == 0 {
				return show(command.Context(), command.OutOrStdout())
			}
			if what, busy := underWay(); busy {
				return fmt.Errorf("%s is running, and would measure what you break: wait until it is over, or end it with "+
					"'scripts/lab cancel'", what)
			}
			set, err := topology.Load(topology.Root())
			if err != nil {
				return err
			}
			f, err := New(set, command.OutOrStdout())
			if err != nil {
				return err
			}
			defer f.Close()
			node := ""
			if len(args) == 2 {
				node = args[1]
			}
			return f.Do(command.Context(), args[0], node)
		},
	}
}

// show writes a line for each node.
func show(ctx context.Context, out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NODE\tROLE\tSTATE")
	for _, node := range topology.Nodes() {
		role, state, check := "standby", "streams from "+topology.OtherNode(node), streams(node)
		if node == topology.Primary() {
			role, state, check = "primary", "takes writes", takesWrites(node)
		}
		once, cancel := context.WithTimeout(ctx, answerWait)
		if f, broken := Find(node); broken {
			state = fmt.Sprintf("%v: 'scripts/break heal %s' brings it back", f, node)
		} else if err := check(once); errors.Is(err, context.DeadlineExceeded) {
			state = "doesn't answer"
		} else if err != nil {
			state = session.Reason(err, node)
		}
		cancel()
		fmt.Fprintf(table, "%s\t%s\t%s\n", node, role, state)
	}
	return table.Flush()
}
