package generator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/shared"
	"pooler-lab/k6/summary"
)

// A pgbench is one that runs a cell.
type pgbench struct {
	*Process
	cell   Task
	ready  chan struct{}   // closed when pgbench first reports its progress: all clients are connected and busy
	busy   time.Time       // when all clients were connected and began, once that is closed
	warmed time.Duration   // from then until its window opened at a steady rate
	beside strings.Builder // its report: its progress, and what went wrong
	report strings.Builder
}

// runPgbench runs pgbench for a cell, and writes what k6 would have written of it. The figures are those of a window:
//
//   - With a warm-up, the window opens when all clients are connected, have worked for so long at least and do so at a
//     steady rate. It lasts the cell's seconds.
//   - Without one, it opens with pgbench itself and lasts as long: connecting is part of it.
//   - With transactions, each client does as many and leaves. The window is then as long as that takes, connecting
//     included, and the cell's seconds are the most that it may last.
//
// pgbench has all clients connect before the first of them begins. A client that it gave up is an error: the others are
// fewer than the cell's.
func (c Task) runPgbench(ctx context.Context, output io.Writer, written string) (End, error) {
	folder, err := os.MkdirTemp("", "pgbench")
	if err != nil {
		return End{}, fmt.Errorf("make a folder for pgbench's log: %w", err)
	}
	defer os.RemoveAll(folder)
	p, err := c.startPgbench(ctx, folder)
	if err != nil {
		return End{}, err
	}
	seen := newTally()
	seen.from, seen.to, err = p.measure(ctx, logsIn(folder))
	p.kill()
	fmt.Fprintf(output, "%s\n%s", p.said(), p.report.String())
	if err == nil {
		err = p.failure()
	}
	if err == nil {
		err = seen.read(logsIn(folder))
	}
	if err == nil {
		err = (&summary.Test{Sides: []*summary.Summary{p.summary(seen)}}).Write(written)
	}
	return p.end, err
}

// logsIn begins the names of the files that pgbench logs to, below a folder.
func logsIn(folder string) string { return filepath.Join(folder, "log") }

// startPgbench starts a pgbench that has its script and its log in a folder. If this program is killed, so is pgbench.
func (c Task) startPgbench(ctx context.Context, folder string) (*pgbench, error) {
	script := filepath.Join(folder, "script.sql")
	if err := os.WriteFile(script, []byte(c.PgbenchScript), 0o600); err != nil {
		return nil, fmt.Errorf("write pgbench's script: %w", err)
	}
	p := &pgbench{cell: c, ready: make(chan struct{})}
	command := exec.Command("pgbench", c.pgbenchArgs(script, logsIn(folder))...)
	command.Env, command.Stdout, command.Stderr = c.pgbenchEnvironment(ctx), &p.report, p
	var err error
	if p.Process, err = Begin(command, syscall.SIGKILL, 0); err != nil {
		return nil, fmt.Errorf("start pgbench: %w", err)
	}
	return p, nil
}

// untilAlarm has a pgbench go on until somebody ends it, for an hour at most.
const untilAlarm = "--time=3600"

// pgbenchArgs are pgbench's: it runs script, and the names of its log's files begin with prefix.
func (c Task) pgbenchArgs(script, prefix string) []string {
	params, until := c.ParamTexts(), untilAlarm
	if c.Transactions > 0 {
		until = fmt.Sprintf("--transactions=%d", c.Transactions)
	}
	args := []string{"--log", "--log-prefix=" + prefix, "--progress=1", until, "--no-vacuum", "--file=" + script,
		"--protocol=" + c.Protocol, fmt.Sprintf("--scale=%d", c.Scale), fmt.Sprintf("--client=%d", c.Clients),
		fmt.Sprintf("--define=accounts=%d", cmp.Or(c.HotRows, lesson.Accounts*c.Scale)),
		fmt.Sprintf("--jobs=%d", min(runtime.NumCPU(), c.Clients)), fmt.Sprintf("--random-seed=%d", c.Seed),
		"--failures-detailed"}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		args = append(args, "--define="+name+"="+params[name])
	}
	return append(args, c.DSN)
}

// pgbenchEnvironment is what pgbench needs beside its DSN, without this process's own passwords.
func (c Task) pgbenchEnvironment(ctx context.Context) []string {
	env := append(Environment(os.Environ()), "PGPASSWORD="+c.Password)
	if config, err := pgconn.ParseConfig(c.DSN); err == nil {
		hosts := []string{config.Host}
		for _, other := range config.Fallbacks { // with TLS and without, maybe
			hosts = append(hosts, other.Host)
		}
		hosts = slices.Compact(hosts)
		var addresses []string
		for _, host := range hosts {
			if found, err := net.DefaultResolver.LookupHost(ctx, host); err == nil {
				addresses = append(addresses, found[0])
			}
		}
		if len(addresses) == len(hosts) {
			env = append(env, "PGHOSTADDR="+strings.Join(addresses, ",")) // k6 looks names up once, libpq at each connect
		}
	}
	return append(env, "PGGSSENCMODE=disable") // libpq would look for a ticket each time
}

// progressEach is how long clients have been busy when pgbench first reports its progress.
const progressEach = time.Second

// progress is a line of its progress.
var progress = regexp.MustCompile(`(?m)^progress:.*\n?`)

// Write takes in what pgbench writes beside its report.
func (p *pgbench) Write(text []byte) (int, error) {
	p.beside.Write(text)
	if p.busy.IsZero() && progress.MatchString(p.beside.String()) {
		p.busy = time.Now().Add(-progressEach)
		close(p.ready)
	}
	return len(text), nil
}

// said is what pgbench wrote beside its report and its progress, once it has ended.
func (p *pgbench) said() string {
	return strings.TrimSpace(progress.ReplaceAllString(p.beside.String(), ""))
}

// failure returns how pgbench failed, once it has ended, with what it said.
func (p *pgbench) failure() error {
	switch {
	case p.end.Err != nil:
		return fmt.Errorf("run pgbench: %w", p.end.Err)
	case p.end.Exit != 0:
		return fmt.Errorf("run pgbench: it ended with code %d\n%s", p.end.Exit, p.said())
	}
	return nil
}

// measure waits until the window is over, and returns it. The names of the log's files begin with logs.
func (p *pgbench) measure(ctx context.Context, logs string) (from, to time.Time, err error) {
	from = p.end.Started
	if p.cell.Transactions > 0 {
		err = p.done(ctx, from.Add(shared.Seconds(p.cell.Seconds)))
		return from, time.Now().Add(time.Second), err // all that it logged
	}
	if p.cell.Warmup > 0 {
		if err := p.connected(ctx); err != nil {
			return from, from, err
		}
		if from, err = p.steady(ctx, logs); err != nil {
			return from, from, err
		}
	}
	to = from.Add(shared.Seconds(p.cell.Seconds))
	return from, to, p.alarm(ctx, to)
}

// connected waits until all clients are connected and busy.
func (p *pgbench) connected(ctx context.Context) error {
	select {
	case <-p.ready:
		return nil
	case <-p.Ended():
		return errors.Join(errors.New("pgbench ended before its clients were connected"), p.failure())
	case <-ctx.Done():
		return p.late(ctx.Err())
	}
}

// alarm has pgbench stop at that moment, as its own --time would, and waits until its last transactions are done.
func (p *pgbench) alarm(ctx context.Context, at time.Time) error {
	select {
	case <-p.Ended():
		return errors.Join(errors.New("pgbench ended by itself"), p.failure())
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(at)):
	}
	if err := p.Signal(syscall.SIGALRM); err != nil {
		return fmt.Errorf("have pgbench stop: %w", err)
	}
	select {
	case <-p.Ended():
		return nil
	case <-ctx.Done():
		return p.late(ctx.Err())
	}
}

// done waits for pgbench's own end.
func (p *pgbench) done(ctx context.Context, until time.Time) error {
	select {
	case <-p.Ended():
		return p.failure()
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(until)):
		return p.late(fmt.Errorf("pgbench didn't end within %v", until.Sub(p.end.Started).Round(time.Millisecond)))
	}
}

// late says what a pgbench that has had its time was at.
func (p *pgbench) late(err error) error {
	select {
	case <-p.ready:
		return fmt.Errorf("its transactions weren't done in time: %w", err)
	default:
		return fmt.Errorf("its clients weren't all connected in time, and none begins before all are: %w", err)
	}
}
