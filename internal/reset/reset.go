// Package reset brings the lab back to its known state: latencies, pool sizes, roles and data.
package reset

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"pooler-lab/internal/data"
	"pooler-lab/internal/link"
	"pooler-lab/internal/path"
	"pooler-lab/internal/run"
)

// pause bounds a step that only asks something of a server; loading data takes its time.
const pause = 15 * time.Second

// NewCommand returns `lab reset`.
func NewCommand() *cobra.Command {
	var keepData bool
	var scaleText string
	command := &cobra.Command{
		Use:   "reset",
		Short: "Bring latencies, pool sizes and data back to the known state",
		Long: `Takes everything off the links and restores those that are cut, has PgBouncer read its configuration again,
takes the login away from the role without a password, and makes pgbench's tables anew.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			scale, err := data.ParseScale(scaleText)
			if err != nil {
				return err
			}
			free, err := run.Hold(filepath.Join(path.Root(), "results"), "a reset")
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
	set, err := path.Load(path.Root())
	if err != nil {
		return err
	}
	if err := resetLinks(ctx, set); err != nil {
		return err
	}
	fmt.Fprintln(out, "links: nothing on any of them, replication straight from the primary")
	if err := resetServers(ctx); err != nil {
		return err
	}
	fmt.Fprintln(out, "pools: as in configs/pgbouncer; app_trust: no login")
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
	return nil
}

func resetLinks(ctx context.Context, set *path.Set) error {
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

// resetServers undoes what lessons turn: PgBouncer's settings by reading its file again, and the login of the role
// that has no password, with the connections that poolers keep open for it.
func resetServers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	if err := tell(ctx, "host=pgbouncer port=6432 dbname=pgbouncer", "RELOAD", "RECONNECT"); err != nil {
		return fmt.Errorf("reset pgbouncer: %w", err)
	}
	const end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app_trust'"
	if err := tell(ctx, "host=primary port=5432 dbname=postgres", "ALTER ROLE app_trust NOLOGIN", end); err != nil {
		return fmt.Errorf("reset the roles: %w", err)
	}
	if err := tell(ctx, "host=standby port=5432 dbname=postgres", end); err != nil {
		return fmt.Errorf("reset the roles on the standby: %w", err)
	}
	return nil
}

// tell sends statements as role lab, in the simple protocol: PgBouncer's console speaks no other.
func tell(ctx context.Context, where string, statements ...string) error {
	config, err := pgx.ParseConfig(where + " user=lab sslmode=disable application_name=pooler-lab")
	if err != nil {
		return err
	}
	config.Password = os.Getenv("LAB_PASSWORD")
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

func databases(set *path.Set) ([]data.Database, error) {
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
	bar := data.NewBar(out, isTerminal(out), fmt.Sprintf("%s: loading pgbench's tables at scale %d", database.Name, scale))
	if err := database.Load(ctx, conn, scale, bar.Show); err != nil {
		return fmt.Errorf("%s: %w ('scripts/reset' begins anew)", database.Name, err)
	}
	return nil
}

func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
