package pgbench

import (
	"context"
	"net"
	"os"
	"slices"
	"strings"

	"pooler-lab/internal/topology"
)

// Environment is what makes pgbench connect there, without this process's own passwords.
func Environment(ctx context.Context, at topology.Endpoint, role, password string) []string {
	env := slices.DeleteFunc(os.Environ(), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return strings.HasSuffix(name, "PASSWORD")
	})
	env = append(env, at.Env(role, password)...)
	if addresses, err := net.DefaultResolver.LookupHost(ctx, at.Host); err == nil {
		env = append(env, "PGHOSTADDR="+addresses[0]) // k6 looks the name up once, libpq at each connect
	}
	return append(env, "PGGSSENCMODE=disable") // libpq would look for a ticket each time
}
