package run

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"pooler-lab/internal/k6run"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/pgbench"
	"pooler-lab/internal/server"
	"pooler-lab/k6/summary"
)

// runPgbench runs pgbench for a cell. Its figures are a summary such as k6's output lab writes: what follows is the
// same for both.
func runPgbench(ctx context.Context, path server.Path, c k6run.Cell, log, written string) (k6run.End, error) {
	params, err := variables(c.Params)
	if err != nil {
		return k6run.End{}, err
	}
	test := pgbench.Test{Script: c.PgbenchScript, Explicit: lesson.Explicit(c.PgbenchScript), Protocol: c.Protocol,
		Clients: c.Clients, Threads: cpus(), Scale: c.Scale, Seconds: c.Seconds, Warmup: c.Warmup,
		Transactions: c.Transactions, Seed: c.Seed, Params: params, DSN: c.DSN, Log: log,
		Env: pgbench.Environment(ctx, path.At, c.Role, c.Password)}
	seen, end, err := test.Run(ctx)
	if err == nil {
		err = (&summary.Test{Sides: []*summary.Summary{seen}}).Write(written)
	}
	return end, err
}

// variables are a cell's params as pgbench's script has them: :rows.
func variables(params json.RawMessage) (map[string]string, error) {
	if len(params) == 0 {
		return nil, nil
	}
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(params, &values); err != nil {
		return nil, fmt.Errorf("read the cell's params: %w", err)
	}
	all := map[string]string{}
	for name, value := range values {
		all[name] = strings.Trim(string(value), `"`)
	}
	return all, nil
}
