package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/session"
	"pooler-lab/internal/shared"
)

// reloadWait is how long a node may take to follow a reload.
const reloadWait = 5 * time.Second

// parameter is one of a node's: what is in force, both as people write it and in its base unit, whether ALTER SYSTEM
// had set it, and whether that could be changed without a restart.
const parameter = `SELECT current_setting(name) AS shown, setting,
	coalesce(sourcefile, '') LIKE '%postgresql.auto.conf' AS own,
	context NOT IN ('internal', 'postmaster') AS changeable FROM pg_settings WHERE name = `

func (n *Node) read(ctx context.Context, name string) (applied, error) {
	rows, err := n.Ask(ctx, parameter+session.Quoted(name))
	switch {
	case err != nil:
		return applied{}, err
	case len(rows) == 0:
		return applied{}, errors.New("PostgreSQL has no such setting")
	case rows[0]["changeable"] != "t":
		return applied{}, errors.New("it takes a restart")
	}
	return applied{before: rows[0]["shown"], own: rows[0]["own"] == "t"}, nil
}

func (n *Node) apply(ctx context.Context, name, value string) error {
	return n.alter(ctx, name, "SET "+name+" = "+session.Quoted(value), func(r session.Row) bool {
		return pooler.SameValue(r["shown"], value) || pooler.SameValue(r["setting"], value)
	})
}

func (n *Node) restore(ctx context.Context, a applied) error {
	change := "RESET " + a.name
	if a.own {
		change = "SET " + a.name + " = " + session.Quoted(a.before)
	}
	return n.alter(ctx, a.name, change, func(r session.Row) bool { return r["shown"] == a.before })
}

// alter changes what the node has set for itself and waits until it is in force.
func (n *Node) alter(ctx context.Context, name, change string, inForce func(session.Row) bool) error {
	for _, sql := range []string{"ALTER SYSTEM " + change, "SELECT pg_reload_conf()"} {
		if _, err := n.Ask(ctx, sql); err != nil {
			return allowed(err)
		}
	}
	var r session.Row
	err := shared.Until(ctx, reloadWait, 10*time.Millisecond, func() (_ bool, err error) {
		r, err = n.AskOne(ctx, parameter+session.Quoted(name))
		return err == nil && inForce(r), err
	})
	if errors.Is(err, shared.ErrLate) {
		return fmt.Errorf("it is %s all the same", r["shown"])
	}
	return err
}

// allowed adds what to do to the server's refusal.
func allowed(err error) error {
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Code == "42501" {
		return fmt.Errorf("%w: configs/postgres/grants.sql says what role lab may change; "+
			"it is read when the primary starts ('scripts/compose restart primary')", err)
	}
	return err
}

// resetParameters takes back everything that ALTER SYSTEM set on the node but whom it follows.
func (n *Node) resetParameters(ctx context.Context) error {
	const set = "SELECT name FROM pg_settings WHERE sourcefile LIKE '%postgresql.auto.conf' " +
		"AND name NOT LIKE 'primary\\_%'"
	rows, err := n.Ask(ctx, set)
	for _, r := range rows {
		if err == nil {
			_, err = n.Ask(ctx, "ALTER SYSTEM RESET "+r["name"])
		}
	}
	if err == nil && len(rows) > 0 {
		_, err = n.Ask(ctx, "SELECT pg_reload_conf()")
	}
	if err != nil {
		return fmt.Errorf("reset the settings of %s: %w", n.Name, err)
	}
	return nil
}

// ownSettings are those that ALTER ROLE and ALTER DATABASE have set, a line for each role, database or both. The lab
// sets none.
const ownSettings = `SELECT coalesce(rolname, '') AS role, coalesce(datname, '') AS database,
	array_to_string(setconfig, ', ') AS settings,
	CASE WHEN setrole = 0 AND setdatabase <> 0 THEN format('ALTER DATABASE %I RESET ALL', datname)
		ELSE format('ALTER ROLE %s%s RESET ALL', CASE WHEN setrole = 0 THEN 'ALL' ELSE quote_ident(rolname) END,
			' IN DATABASE ' || quote_ident(datname)) END AS undo
	FROM pg_db_role_setting LEFT JOIN pg_database d ON d.oid = setdatabase LEFT JOIN pg_roles r ON r.oid = setrole
	ORDER BY 1, 2`

// resetOwn takes them back. What role lab may not take back stays, and the error names it.
func (n *Node) resetOwn(ctx context.Context) error {
	rows, err := n.Ask(ctx, ownSettings)
	if err != nil {
		return fmt.Errorf("read what ALTER ROLE and ALTER DATABASE have set: %w", err)
	}
	var failed []error
	for _, r := range rows {
		if _, err := n.Ask(ctx, r["undo"]); err != nil {
			failed = append(failed, fmt.Errorf("%s has %s, and '%s' fails: %w",
				strings.TrimSpace(r["role"]+" "+r["database"]), r["settings"], r["undo"], err))
		}
	}
	return errors.Join(failed...)
}
