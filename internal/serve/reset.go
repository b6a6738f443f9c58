package serve

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"pooler-lab/internal/fault"
	"pooler-lab/internal/link"
	"pooler-lab/internal/run"
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
		Long: `Heals what scripts/break has broken, and gives primary and standby their roles back. Takes
everything off the links and restores those that are cut, has poolers read their configuration
again, takes back what ALTER SYSTEM set on primary and standby, and the login of the role without a
password, and makes pgbench's tables anew.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			scale, err := parseScale(scaleText)
			if err != nil {
				return err
			}
			free, err := run.Hold(filepath.Join(topology.Root(), "results"), "a reset")
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
	if err := mend(ctx, set, out); err != nil {
		return err
	}
	fmt.Fprintln(out, "nodes: primary and standby, nothing broken")
	if err := resetLinks(ctx, set); err != nil {
		return err
	}
	fmt.Fprintln(out, "links: nothing on any of them, replication straight from the primary")
	if err := resetServers(ctx, set); err != nil {
		return err
	}
	fmt.Fprintln(out, "settings: as in configs/; app_trust: no login")
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

func resetLinks(ctx context.Context, set *topology.Set) error {
	ctx, cancel := context.WithTimeout(ctx, 2*stepWait)
	defer cancel()
	links, err := link.NewSwitch(set, link.New(link.APIURL()))
	if err != nil {
		return err
	}
	if err := link.Each(set.LinkNames(), func(name string) error { return links.Off(ctx, name) }); err != nil {
		return fmt.Errorf("reset the links: %w", err)
	}
	return nil
}

func resetServers(ctx context.Context, set *topology.Set) error {
	ctx, cancel := context.WithTimeout(ctx, 2*stepWait)
	defer cancel()
	servers, err := server.New(set)
	if err != nil {
		return err
	}
	defer servers.Close()
	return servers.Reset(ctx)
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
