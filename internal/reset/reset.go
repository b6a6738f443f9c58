// Package reset brings the lab back to its known state: latencies, settings, roles and data.
package reset

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"pooler-lab/internal/caller"
	"pooler-lab/internal/data"
	"pooler-lab/internal/link"
	"pooler-lab/internal/run"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

// pause bounds a step that only asks something of a server; loading data takes its time.
const pause = 15 * time.Second

// NewCommand returns `lab reset`.
func NewCommand() *cobra.Command {
	var keepData bool
	var scaleText string
	command := &cobra.Command{
		Use:   "reset",
		Short: "Bring latencies, settings and data back to the known state",
		Long: `Takes everything off the links and restores those that are cut, has poolers read their configuration again,
takes back what ALTER SYSTEM set on primary and standby, and the login of the role without a password, and makes
pgbench's tables anew.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			scale, err := data.ParseScale(scaleText)
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
	command.Flags().StringVar(&scaleText, "scale", os.Getenv("LAB_SCALE"), "pgbench's scale `N` of the new data: 100,000 accounts each")
	return command
}

func reset(ctx context.Context, out io.Writer, keepData bool, scale int) error {
	set, err := topology.Load(topology.Root())
	if err != nil {
		return err
	}
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
	databases, err := databases(set)
	if err != nil {
		return err
	}
	for _, database := range databases {
		if err := reload(ctx, out, database, scale); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "data: new, at scale %d\n", scale)
	return nil
}

func resetLinks(ctx context.Context, set *topology.Set) error {
	ctx, cancel := context.WithTimeout(ctx, 2*pause)
	defer cancel()
	if err := link.New(link.APIURL()).Off(ctx, set.LinkNames()...); err != nil {
		return fmt.Errorf("reset the links: %w", err)
	}
	replication, err := link.NewReplication(set, "toxiproxy")
	if err != nil {
		return err
	}
	if err := replication.Move(ctx, false); err != nil {
		return fmt.Errorf("reset replication: %w", err)
	}
	return nil
}

func resetServers(ctx context.Context, set *topology.Set) error {
	ctx, cancel := context.WithTimeout(ctx, 2*pause)
	defer cancel()
	servers, err := server.New(set, os.Getenv("LAB_PASSWORD"))
	if err != nil {
		return err
	}
	defer servers.Close()
	return servers.Reset(ctx)
}

func databases(set *topology.Set) ([]data.Database, error) {
	primary, err := data.Primary()
	if err != nil {
		return nil, err
	}
	all := []data.Database{primary}
	yugabyte, err := set.Find("yugabyte")
	if err != nil || yugabyte.Unavailable() != "" {
		return all, err
	}
	second, err := data.Yugabyte()
	return append(all, second), err
}

func reload(ctx context.Context, out io.Writer, database data.Database, scale int) error {
	conn, err := database.Connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	bar := data.NewBar(out, caller.Columns() > 0, fmt.Sprintf("%s: loading pgbench's tables at scale %d", database.Name, scale))
	if err := database.Load(ctx, conn, scale, bar.Show); err != nil {
		return fmt.Errorf("%s: %w ('scripts/reset' begins anew)", database.Name, err)
	}
	return nil
}
