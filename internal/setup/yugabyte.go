package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
)

// secrets holds the primary's SCRAM secrets, a role and its secret a line, in PgBouncer's format.
const secrets = "/run/secrets-lab/userlist.txt"

// prepareRoles makes the lab's roles and its colocated database in YugabyteDB where they are missing, as the superuser
// yugabyte (YSQL_PASSWORD). Roles get the primary's own SCRAM secrets: PgBouncer logs in with a secret only where
// the server's is the same one.
func prepareRoles(ctx context.Context) error {
	roles, err := readSecrets(secrets)
	if err != nil {
		return err
	}
	dsn := topology.Endpoint{Host: "yugabyte", Port: 5433, DBName: "yugabyte"}.DSN("yugabyte") + " connect_timeout=5"
	s, err := session.Open(ctx, dsn, os.Getenv("YSQL_PASSWORD"))
	if err != nil {
		return fmt.Errorf("connect to yugabyte as its superuser: %w", err)
	}
	defer s.Close()
	const existsAlready = "42710 42P04" // duplicate_object, duplicate_database
	for _, sql := range yugabyteStatements(roles) {
		_, err := s.Exec(ctx, sql)
		var refused *pgconn.PgError
		if err != nil && (!errors.As(err, &refused) || !strings.Contains(existsAlready, refused.Code)) {
			return fmt.Errorf("prepare yugabyte: %w", err)
		}
	}
	return nil
}

func yugabyteStatements(roles map[string]string) []string {
	return []string{
		"CREATE ROLE lab LOGIN PASSWORD " + session.Quoted(roles["lab"]),
		"CREATE ROLE app LOGIN PASSWORD " + session.Quoted(roles["app"]),
		"CREATE ROLE app_clear NOLOGIN",
		"CREATE ROLE app_trust NOLOGIN",
		"GRANT pg_monitor, pg_signal_backend TO lab",
		"CREATE DATABASE lab OWNER lab COLOCATION = true",
	}
}

// aSecret is a line of a userlist.txt that holds a SCRAM secret.
var aSecret = regexp.MustCompile(`(?m)^"([^"]*)" "(SCRAM-SHA-256\$[^"]*)"$`)

// readSecrets returns the SCRAM secret of each role in a userlist.txt.
func readSecrets(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the primary's SCRAM secrets: %w", err)
	}
	roles := map[string]string{}
	for _, line := range aSecret.FindAllStringSubmatch(string(text), -1) {
		roles[line[1]] = line[2]
	}
	for _, role := range []string{"lab", "app"} {
		if roles[role] == "" {
			return nil, fmt.Errorf("%s has no SCRAM secret for role %s", file, role)
		}
	}
	return roles, nil
}
