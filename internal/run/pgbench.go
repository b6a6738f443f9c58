package run

import (
	"context"
	"runtime"

	"pooler-lab/internal/k6run"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/pgbench"
	"pooler-lab/internal/server"
	"pooler-lab/k6/summary"
)

// runPgbench runs pgbench for a cell. Its figures are a summary such as k6's output lab writes: what follows is the
// same for both.
func runPgbench(ctx context.Context, path server.Path, c k6run.Cell, log, written string) (k6run.End, error) {
	test := pgbench.Test{Script: c.PgbenchScript, Explicit: lesson.Explicit(c.PgbenchScript), Protocol: c.Protocol,
		Clients: c.Clients, Threads: runtime.NumCPU(), Scale: c.Scale, Seconds: c.Seconds, Warmup: c.Warmup,
		Transactions: c.Transactions, Seed: c.Seed, Params: c.ParamTexts(), DSN: c.DSN, Log: log,
		Env: pgbench.Environment(ctx, path.At, c.Role, c.Password)}
	seen, end, err := test.Run(ctx)
	if err == nil {
		err = (&summary.Test{Sides: []*summary.Summary{seen}}).Write(written)
	}
	return end, err
}
