package data

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// secrets holds the primary's SCRAM secrets, a role and its secret a line, in PgBouncer's format.
const secrets = "/run/secrets-lab/userlist.txt"

// Yugabyte returns YugabyteDB's database, as role lab. Written to its documentation; it needs its image to be tried.
func Yugabyte() (Database, error) {
	config, err := pgx.ParseConfig("host=yugabyte port=5433 dbname=lab user=lab sslmode=disable application_name=pooler-lab connect_timeout=5")
	if err != nil {
		return Database{}, fmt.Errorf("describe YugabyteDB: %w", err)
	}
	config.Password = os.Getenv("LAB_PASSWORD")
	return Database{Name: "yugabyte", Config: config, After: []string{"ANALYZE"}}, nil
}

// PrepareYugabyte makes the lab's roles and its colocated database where they are missing, as the superuser
// yugabyte (YSQL_PASSWORD). Roles get the primary's own SCRAM secrets: PgBouncer logs in with a secret only where
// the server's is the same one.
func PrepareYugabyte(ctx context.Context) error {
	roles, err := readSecrets(secrets)
	if err != nil {
		return err
	}
	config, err := pgx.ParseConfig("host=yugabyte port=5433 dbname=yugabyte user=yugabyte sslmode=disable application_name=pooler-lab connect_timeout=5")
	if err != nil {
		return fmt.Errorf("describe YugabyteDB: %w", err)
	}
	config.Password = os.Getenv("YSQL_PASSWORD")
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connect to yugabyte as its superuser: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	const existsAlready = "42710 42P04" // duplicate_object, duplicate_database
	for _, sql := range yugabyteStatements(roles) {
		_, err := conn.Exec(ctx, sql)
		var refused *pgconn.PgError
		if err != nil && (!errors.As(err, &refused) || !strings.Contains(existsAlready, refused.Code)) {
			return fmt.Errorf("prepare yugabyte: %w", err)
		}
	}
	return nil
}

func yugabyteStatements(roles map[string]string) []string {
	var sql []string
	for _, role := range []string{"lab", "app"} {
		sql = append(sql, fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s'", role, roles[role]))
	}
	return append(sql,
		"CREATE ROLE app_clear NOLOGIN",
		"CREATE ROLE app_trust NOLOGIN",
		"GRANT pg_monitor, pg_signal_backend TO lab",
		"CREATE DATABASE lab OWNER lab COLOCATION = true")
}

// readSecrets returns the SCRAM secret of each role in a userlist.txt.
func readSecrets(file string) (map[string]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the primary's SCRAM secrets: %w", err)
	}
	defer f.Close()
	roles := map[string]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		quoted := strings.Split(lines.Text(), `"`)
		if len(quoted) == 5 {
			roles[quoted[1]] = quoted[3]
		}
	}
	for _, role := range []string{"lab", "app"} {
		if !strings.HasPrefix(roles[role], "SCRAM-SHA-256$") {
			return nil, fmt.Errorf("%s has no SCRAM secret for role %s", file, role)
		}
	}
	return roles, lines.Err()
}
