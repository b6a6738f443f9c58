package crosscheck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"pooler-lab/internal/pgbench"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

// runPgbench runs pgbench once and returns the metric.
func runPgbench(ctx context.Context, at topology.Endpoint, l load, f metric) (float64, error) {
	logs, err := os.MkdirTemp("", "crosscheck")
	if err != nil {
		return 0, fmt.Errorf("make a folder for pgbench's log: %w", err)
	}
	defer os.RemoveAll(logs)
	program := exec.CommandContext(ctx, "pgbench", pgbenchArguments(l, f, filepath.Join(logs, "log"))...)
	program.Env = pgbench.Environment(ctx, at, l.role, server.Password(l.role))
	out, err := program.Output()
	if err != nil {
		return 0, fmt.Errorf("run pgbench: %w%s", err, complaint(err))
	}
	switch f {
	case throughput:
		return find(out, `(?m)^tps = ([0-9.]+)`)
	case connecting:
		return find(out, `average connection time = ([0-9.]+) ms`)
	}
	return medianOfLogs(filepath.Join(logs, "log"))
}

// pgbenchArguments returns what makes pgbench do the load.
func pgbenchArguments(l load, f metric, log string) []string {
	args := []string{"--no-vacuum", "--protocol=" + l.protocol, fmt.Sprintf("--client=%d", l.clients),
		fmt.Sprintf("--jobs=%d", min(2, l.clients)), fmt.Sprintf("--time=%d", int(max(1, l.seconds)))}
	switch f {
	case connecting:
		args = append(args, "--connect")
	case median:
		args = append(args, "--log", "--log-prefix="+log)
	}
	if l.workload == "tpcb" {
		return append(args, "--builtin=tpcb-like")
	}
	return append(args, "--builtin=select-only")
}

// find returns the number that pattern finds in pgbench's report.
func find(report []byte, pattern string) (float64, error) {
	found := regexp.MustCompile(pattern).FindSubmatch(report)
	if found == nil {
		return 0, fmt.Errorf("read pgbench's report: nothing in it matches %s:\n%s", pattern, report)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}

// medianOfLogs returns the median transaction of pgbench's logs, in milliseconds.
func medianOfLogs(prefix string) (float64, error) {
	log, err := pgbench.ReadLogs(prefix)
	if err != nil {
		return 0, err
	}
	if len(log.Transactions) == 0 {
		return 0, errors.New("pgbench logged no transaction")
	}
	return float64(log.Percentile(0.5).Microseconds()) / 1000, nil
}

// complaint returns what a program wrote before it failed.
func complaint(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) || len(exit.Stderr) == 0 {
		return ""
	}
	return "\n" + strings.TrimSpace(string(exit.Stderr))
}
