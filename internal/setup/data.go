package setup

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
)

const (
	accountsPerScale = 100_000
	tellersPerScale  = 10
	// accountsPerStep bounds one INSERT: small enough for a distributed database's transaction, and the unit of
	// progress.
	accountsPerStep = 25_000
	// maxScale keeps account numbers within int4, as pgbench's own tables do.
	maxScale = 20_000
)

//go:embed tables.sql
var tables string

//go:embed workloads.sql
var workloads string

// A database holds the lab's tables, which are pgbench's. All databases are filled by the same SQL.
type database struct {
	name     string // as progress and errors call it
	endpoint topology.Endpoint
	// after holds what only this kind of database understands, run when the tables are full.
	after []string
}

var (
	primary = database{
		name:     "primary",
		endpoint: topology.Endpoint{Host: "primary", Port: 5432, DBName: "lab"},
		after: []string{
			// pgbench vacuums before it runs; MAINTAIN lets a role that owns nothing do so.
			"GRANT MAINTAIN ON pgbench_branches, pgbench_tellers, pgbench_accounts, pgbench_history " +
				"TO app, app_clear, app_trust",
			"VACUUM (FREEZE, ANALYZE) pgbench_branches, pgbench_tellers, pgbench_accounts, pgbench_history",
			// Otherwise every start of the standby replays all of the load again.
			"CHECKPOINT",
		},
	}
	yugabyte = database{
		name:     "yugabyte",
		endpoint: topology.Endpoint{Host: "yugabyte", Port: 5433, DBName: "lab"},
		after:    []string{"ANALYZE"},
	}
)

// parseScale reads a scale of pgbench's.
func parseScale(text string) (int, error) {
	scale, err := strconv.Atoi(text)
	if err != nil || scale < 1 || scale > maxScale {
		return 0, fmt.Errorf("scale %q: give a whole number from 1 to %d (each is 100,000 accounts, about 15 MB)",
			text, maxScale)
	}
	return scale, nil
}

// connect opens a connection as the tables' owner, role lab. Its errors name the next step.
func (d database) connect(ctx context.Context) (*session.Session, error) {
	s, err := session.Open(ctx, d.endpoint.DSN("lab")+" connect_timeout=5", topology.LabPassword())
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "28P01" {
		return nil, fmt.Errorf("%s refuses LAB_PASSWORD: passwords are read when the volumes are made; put the old one "+
			"back into .env, or run 'scripts/compose down -v' and start again", d.name)
	}
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", d.name, err)
	}
	return s, nil
}

// load drops the tables and makes them anew at scale (100,000 accounts each). It says how far it is: tell is told at
// each step, out gets a line for each tenth. What is cut off counts as no data.
func (d database) load(ctx context.Context, s *session.Session, scale int, out io.Writer, tell func(string)) error {
	title := fmt.Sprintf("%s: loading pgbench's tables at scale %d", d.name, scale)
	started, written := time.Now(), -1 // tenths
	progress := func(done float64) {
		text := fmt.Sprintf("%s, %.0f %% done%s", title, 100*done, left(time.Since(started), done))
		tell(text)
		if tenths := int(10 * done); tenths != written {
			written = tenths
			fmt.Fprintln(out, text)
		}
	}
	if _, err := s.Exec(ctx, tables); err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	if err := fill(ctx, s, scale, progress); err != nil {
		return err
	}
	for _, sql := range d.after {
		if _, err := s.Exec(ctx, sql); err != nil {
			return fmt.Errorf("finish the tables: %w", err)
		}
	}
	if err := complete(ctx, s); err != nil {
		return err
	}
	if _, err := s.Exec(ctx, "INSERT INTO lab_data VALUES ($1)", scale); err != nil {
		return fmt.Errorf("mark the data complete: %w", err)
	}
	progress(1)
	return nil
}

// left says how long the rest takes of what is done to that share, "" where nobody knows.
func left(spent time.Duration, done float64) string {
	if done <= 0 || done >= 1 {
		return ""
	}
	return fmt.Sprintf(", %s left", (time.Duration(float64(spent)*(1-done)/done) + time.Second/2).Round(time.Second))
}

// complete makes what workloads need beside the tables, where it is missing or of an earlier version.
func complete(ctx context.Context, s *session.Session) error {
	if _, err := s.Exec(ctx, workloads); err != nil {
		return fmt.Errorf("make what workloads need beside the tables: %w", err)
	}
	return nil
}

func fill(ctx context.Context, s *session.Session, scale int, progress func(done float64)) error {
	const (
		branches = "INSERT INTO pgbench_branches SELECT bid, 0, NULL FROM generate_series(1, $1) AS bid"
		tellers  = "INSERT INTO pgbench_tellers SELECT tid, (tid - 1) / $2 + 1, 0, NULL " +
			"FROM generate_series(1, $1) AS tid"
		accounts = "INSERT INTO pgbench_accounts SELECT aid, (aid - 1) / $3 + 1, 0, '' " +
			"FROM generate_series($1::int, $2::int) AS aid"
	)
	if _, err := s.Exec(ctx, branches, scale); err != nil {
		return fmt.Errorf("fill pgbench_branches: %w", err)
	}
	if _, err := s.Exec(ctx, tellers, scale*tellersPerScale, tellersPerScale); err != nil {
		return fmt.Errorf("fill pgbench_tellers: %w", err)
	}
	total := scale * accountsPerScale
	for first := 1; first <= total; first += accountsPerStep {
		progress(float64(first-1) / float64(total))
		if _, err := s.Exec(ctx, accounts, first, first+accountsPerStep-1, accountsPerScale); err != nil {
			return fmt.Errorf("fill pgbench_accounts: %w", err)
		}
	}
	return nil
}
