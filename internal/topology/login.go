package topology

import "os"

// The roles that measured clients have.
const (
	App      = "app"       // of whose password a pooler may hold the server's SCRAM secret alone
	AppClear = "app_clear" // whose clear password a pooler holds
	AppTrust = "app_trust" // has no password, and can log in only while a cell needs it
)

// Roles are those that a measured client can have.
func Roles() []string { return []string{App, AppClear, AppTrust} }

// Password is that of a measured role, from the environment; "" for the one that has none.
func Password(role string) string {
	variables := map[string]string{App: "APP_PASSWORD", AppClear: "APP_CLEAR_PASSWORD"}
	return os.Getenv(variables[role])
}

// LabPassword is that of role lab, which the lab's own sessions have, from the environment.
func LabPassword() string { return os.Getenv("LAB_PASSWORD") }

// NodeDSN is how role lab reaches a PostgreSQL server: directly, and in database postgres, so that what it does there
// isn't counted where clients are.
func NodeDSN(name string) string {
	return Endpoint{Host: name, Port: 5432, DBName: "postgres"}.DSN("lab")
}
