package crosscheck

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

// cell is what k6/lib/cell.js reads of LAB_CELL.
type cell struct {
	Path     string  `json:"path"`
	DSN      string  `json:"dsn"`
	Workload string  `json:"workload"`
	Protocol string  `json:"protocol"`
	Clients  int     `json:"clients"`
	Seconds  float64 `json:"seconds"`
	Warmup   float64 `json:"warmup_seconds"`
	Scale    int     `json:"scale"`
	Summary  string  `json:"summary"`
}

// warmup is the longest time that clients may take to connect, in seconds. What they don't need is measured too.
const warmup = 0.5

// runK6 runs k6 once and returns the figure.
func runK6(ctx context.Context, at topology.Endpoint, l load, f figure, scale int) (float64, error) {
	folder, err := os.MkdirTemp("", "crosscheck")
	if err != nil {
		return 0, fmt.Errorf("make a folder for k6's summary: %w", err)
	}
	defer os.RemoveAll(folder)
	summary := filepath.Join(folder, "summary.json")
	order, err := json.Marshal(cell{Path: l.path, DSN: at.DSN(l.role), Workload: l.workload, Protocol: l.protocol,
		Clients: l.clients, Seconds: l.seconds, Warmup: warmup, Scale: scale, Summary: summary})
	if err != nil {
		return 0, fmt.Errorf("write the cell for k6: %w", err)
	}
	program := exec.CommandContext(ctx, "k6", "run", "--quiet", "--no-color", filepath.Join(topology.Root(), "k6/crosscheck.js"))
	program.Env = append(environment(), "LAB_CELL="+string(order), "PGPASSWORD="+server.Password(l.role))
	if _, err := program.Output(); err != nil {
		return 0, fmt.Errorf("run k6: %w%s", err, complaint(err))
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		return 0, fmt.Errorf("read k6's summary: %w", err)
	}
	return figureOf(text, l, f)
}

// figureOf returns the figure that k6's summary has.
func figureOf(text []byte, l load, f figure) (float64, error) {
	var summary struct {
		Window *struct {
			Seconds float64
			Ready   int
		}
		Errors []struct {
			Code    string
			Message string
		}
		Metrics map[string]struct{ Values map[string]float64 }
	}
	if err := json.Unmarshal(text, &summary); err != nil {
		return 0, fmt.Errorf("read k6's summary: %w", err)
	}
	if len(summary.Errors) > 0 {
		return 0, fmt.Errorf("k6 met errors, the first of them %s: %s", summary.Errors[0].Code, summary.Errors[0].Message)
	}
	if summary.Window == nil || summary.Window.Ready < l.clients {
		return 0, fmt.Errorf("not all of k6's %d clients were ready in time", l.clients)
	}
	switch f {
	case throughput:
		return summary.Metrics["pg_transactions{phase:measure}"].Values["count"] / summary.Window.Seconds, nil
	case connecting:
		return summary.Metrics["pg_connect{phase:measure}"].Values["avg"], nil
	}
	return summary.Metrics["pg_statement{phase:measure}"].Values["med"], nil
}
