package run

import (
	"testing"

	"pooler-lab/internal/lesson"
)

func TestAuthenticationNamesTheRolesOfTheCells(t *testing.T) {
	got := authentication([]lesson.Cell{{Role: "app_trust"}, {Role: "app_clear"}, {Role: "app_trust"}})
	want := "app_clear: scram-sha-256, 4096 iterations, PgBouncer holds the clear password, Pgpool-II the password encrypted; app_trust: no password"
	if got != want {
		t.Errorf("the manifest says %q", got)
	}
}
