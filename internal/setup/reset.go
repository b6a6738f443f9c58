package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pooler-lab/internal/fault"
	"pooler-lab/internal/link"
	"pooler-lab/internal/result"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

// stepWait bounds a step that only asks something of a server; loading data takes its time.
const stepWait = 15 * time.Second

// NewResetCommand returns `lab reset`.
func NewResetCommand() *cobra.Command {
	var keepData bool
	var scaleText string
	command := &cobra.Command{
		Use:   "reset",
		Short: "Bring latencies, settings and data back to the known state",
		Long: `Heals what scripts/break has broken, and gives primary and standby their roles back. Has links
lead where configs/toxiproxy.json says, takes everything off them and restores those that are cut.
Has poolers read their configuration again, and ends their pauses. Takes back what ALTER SYSTEM,
ALTER ROLE and ALTER DATABASE set, and the login of the role without a password. Makes pgbench's
tables anew. What can't be put back is named; the tables are then left as they are.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			scale, err := parseScale(scaleText)
			if err != nil {
				return err
			}
			free, err := result.Hold(filepath.Join(topology.Root(), "results"), "a reset")
			if err != nil {
				return err
			}
			defer free()
			return reset(command.Context(), command.OutOrStdout(), keepData, scale)
		},
	}
	command.Flags().BoolVar(&keepData, "keep-data", false, "leave the tables as they are")
	command.Flags().StringVar(&scaleText, "scale", os.Getenv("LAB_SCALE"),
		"pgbench's scale `N` of the new data: 100,000 accounts each")
	return command
}

func reset(ctx context.Context, out io.Writer, keepData bool, scale int) error {
	set, err := topology.Load(topology.Root())
	if err != nil {
		return err
	}
	failed := []error{mend(ctx, set, out)}
	if failed[0] == nil {
		fmt.Fprintln(out, "nodes: primary and standby, nothing broken")
	}
	failed = append(failed, resetLinks(ctx, set, out), resetServers(ctx, set, out))
	if err := errors.Join(failed...); err != nil {
		return fmt.Errorf("not all could be put back, and the data is as it was: %w", err)
	}
	if keepData {
		fmt.Fprintln(out, "data: kept")
		return nil
	}
	off, err := yugabyteOff(set)
	if err != nil {
		return err
	}
	databases := []database{primary}
	if off == "" {
		databases = append(databases, yugabyte)
	}
	for _, d := range databases {
		if err := reload(ctx, out, d, scale); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "data: new, at scale %d\n", scale)
	return nil
}

// mend heals what is broken on the PostgreSQL nodes, and gives them their first roles.
func mend(ctx context.Context, set *topology.Set, out io.Writer) error {
	faults, err := fault.New(set, out)
	if err != nil {
		return err
	}
	defer faults.Close()
	return faults.Do(ctx, "reset", "")
}

// resetLinks makes all links what configs/toxiproxy.json has of them, with nothing on them, and names proxies that
// aren't links of the lab.
func resetLinks(ctx context.Context, set *topology.Set, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 2*stepWait)
	defer cancel()
	links, err := link.NewSwitch(set, link.New(link.APIURL()))
	if err != nil {
		return err
	}
	if err := link.Each(set.LinkNames(), func(name string) error { return links.Off(ctx, name) }); err != nil {
		return fmt.Errorf("reset the links: %w", err)
	}
	fmt.Fprintf(out, "links: all %d as in configs/toxiproxy.json, nothing on any of them, replication straight\n",
		len(set.Links))
	others, err := links.NotOurs(ctx)
	if len(others) > 0 {
		fmt.Fprintf(out, "left as they are, since they aren't the lab's: toxiproxy's proxies %s\n",
			strings.Join(others, ", "))
	}
	return err
}

func resetServers(ctx context.Context, set *topology.Set, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 2*stepWait)
	defer cancel()
	servers, err := server.New(set)
	if err != nil {
		return err
	}
	defer servers.Close()
	done, err := servers.Reset(ctx)
	for _, line := range done {
		fmt.Fprintln(out, line)
	}
	return err
}

func reload(ctx context.Context, out io.Writer, d database, scale int) error {
	s, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := d.load(ctx, s, scale, out, nobody); err != nil {
		return fmt.Errorf("%s: %w ('scripts/reset' begins anew)", d.name, err)
	}
	return nil
}
