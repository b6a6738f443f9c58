// Package data makes pgbench's tables in the lab's databases.
package data

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
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

// Database is one database that holds the lab's tables.
type Database struct {
	Name   string // as progress and errors call it
	Config *pgx.ConnConfig
	// After holds what only this kind of database understands, run when the tables are full.
	After []string
}

// Primary returns the primary's database, as role lab; the password comes from LAB_PASSWORD.
func Primary() (Database, error) {
	config, err := pgx.ParseConfig("host=primary port=5432 dbname=lab user=lab sslmode=disable application_name=pooler-lab connect_timeout=5")
	if err != nil {
		return Database{}, fmt.Errorf("describe the primary: %w", err)
	}
	config.Password = os.Getenv("LAB_PASSWORD")
	return Database{
		Name:   "primary",
		Config: config,
		After: []string{
			// pgbench vacuums before it runs; MAINTAIN lets a role that owns nothing do so.
			"GRANT MAINTAIN ON pgbench_branches, pgbench_tellers, pgbench_accounts, pgbench_history TO app, app_clear, app_trust",
			"VACUUM (FREEZE, ANALYZE) pgbench_branches, pgbench_tellers, pgbench_accounts, pgbench_history",
			// Otherwise every start of the standby replays all of the load again.
			"CHECKPOINT",
		},
	}, nil
}

// WantedScale reads LAB_SCALE.
func WantedScale() (int, error) {
	scale, err := ParseScale(os.Getenv("LAB_SCALE"))
	if err != nil {
		return 0, fmt.Errorf("LAB_SCALE in .env: %w", err)
	}
	return scale, nil
}

// ParseScale reads a scale as people write it.
func ParseScale(text string) (int, error) {
	scale, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("scale %q: give a whole number from 1 to %d (each is 100,000 accounts, about 15 MB)", text, maxScale)
	}
	return scale, CheckScale(scale)
}

// CheckScale refuses a scale outside 1 to 20,000.
func CheckScale(scale int) error {
	if scale < 1 || scale > maxScale {
		return fmt.Errorf("scale %d: give a whole number from 1 to %d (each is 100,000 accounts, about 15 MB)", scale, maxScale)
	}
	return nil
}

// Connect opens a connection as the tables' owner. Its errors name the next step.
func (d Database) Connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, d.Config)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "28P01" {
		return nil, fmt.Errorf("%s refuses LAB_PASSWORD: passwords are read when the volumes are made; put the old one back into .env, or run 'scripts/compose down -v' and start again", d.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", d.Name, err)
	}
	return conn, nil
}

// Scale returns the scale of complete data, or 0 where there is none.
func Scale(ctx context.Context, conn *pgx.Conn) (int, error) {
	var scale int
	err := conn.QueryRow(ctx, "SELECT scale FROM lab_data").Scan(&scale)
	var missing *pgconn.PgError
	if errors.Is(err, pgx.ErrNoRows) || (errors.As(err, &missing) && missing.Code == "42P01") {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the data's scale: %w", err)
	}
	return scale, nil
}

// Load drops the tables and makes them anew at scale (100,000 accounts each); progress is told the share done,
// from 0 to 1. What is cut off counts as no data.
func (d Database) Load(ctx context.Context, conn *pgx.Conn, scale int, progress func(done float64)) error {
	if err := CheckScale(scale); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, tables); err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	if err := fill(ctx, conn, scale, progress); err != nil {
		return err
	}
	for _, sql := range d.After {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("finish the tables: %w", err)
		}
	}
	if err := Complete(ctx, conn); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "INSERT INTO lab_data VALUES ($1)", scale); err != nil {
		return fmt.Errorf("mark the data complete: %w", err)
	}
	progress(1)
	return nil
}

// Complete makes what workloads need beside the tables, where it is missing or of an earlier version.
func Complete(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, workloads); err != nil {
		return fmt.Errorf("make what workloads need beside the tables: %w", err)
	}
	return nil
}

func fill(ctx context.Context, conn *pgx.Conn, scale int, progress func(done float64)) error {
	const (
		branches = "INSERT INTO pgbench_branches SELECT bid, 0, NULL FROM generate_series(1, $1) AS bid"
		tellers  = "INSERT INTO pgbench_tellers SELECT tid, (tid - 1) / $2 + 1, 0, NULL FROM generate_series(1, $1) AS tid"
		accounts = "INSERT INTO pgbench_accounts SELECT aid, (aid - 1) / $3 + 1, 0, '' FROM generate_series($1::int, $2::int) AS aid"
	)
	if _, err := conn.Exec(ctx, branches, scale); err != nil {
		return fmt.Errorf("fill pgbench_branches: %w", err)
	}
	if _, err := conn.Exec(ctx, tellers, scale*tellersPerScale, tellersPerScale); err != nil {
		return fmt.Errorf("fill pgbench_tellers: %w", err)
	}
	total := scale * accountsPerScale
	for first := 1; first <= total; first += accountsPerStep {
		progress(float64(first-1) / float64(total))
		if _, err := conn.Exec(ctx, accounts, first, first+accountsPerStep-1, accountsPerScale); err != nil {
			return fmt.Errorf("fill pgbench_accounts: %w", err)
		}
	}
	return nil
}
