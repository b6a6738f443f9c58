package pgbench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"pooler-lab/k6/summary"
)

// A Test is one run of pgbench whose figures are those of a window: what k6 does with a cell.
//
//   - With a warm-up, the window opens so long after all clients are connected, and lasts Seconds.
//   - Without one, it opens with pgbench itself and lasts Seconds: connecting is part of it.
//   - With Transactions, each client does as many and leaves. The window is then as long as that takes, connecting
//     included, and Seconds the most that it may last.
//
// pgbench has all clients connect before the first of them begins.
type Test struct {
	Program      string // pgbench where empty
	Script       string // what clients do over and over
	Explicit     bool   // the script is a transaction of several statements
	Protocol     string // simple, extended or prepared
	Clients      int
	Threads      int
	Scale        int     // of the data
	Seconds      float64 // length of the window
	Warmup       float64 // seconds
	Transactions int     // of each client; 0 is as many as the window has room for
	Seed         uint32
	Params       map[string]string // variables of the script
	DSN          string            // without a password
	Env          []string          // the whole environment
	Log          string            // file for what pgbench prints
}

// An End is how a pgbench ended.
type End struct {
	Exit           int
	Started, Ended time.Time
	CPU            time.Duration
	Memory         int64 // most bytes it held
}

// Run runs the test, and returns what k6 would have written of it. When it returns, pgbench has ended, whatever
// happened. A client that pgbench gave up is an error: the others are fewer than the test's.
func (t Test) Run(ctx context.Context) (*summary.Summary, End, error) {
	folder, err := os.MkdirTemp("", "pgbench")
	if err != nil {
		return nil, End{}, fmt.Errorf("make a folder for pgbench's log: %w", err)
	}
	defer os.RemoveAll(folder)
	script, log := filepath.Join(folder, "script.sql"), filepath.Join(folder, "log")
	if err := os.WriteFile(script, []byte(t.Script), 0o600); err != nil {
		return nil, End{}, fmt.Errorf("write pgbench's script: %w", err)
	}
	p, err := Load{Program: t.Program, Args: t.args(script), Env: t.Env}.start(log, t.end())
	if err != nil {
		return nil, End{}, err
	}
	from, to, err := t.measure(ctx, p)
	p.kill()
	end := p.end()
	err = errors.Join(err, p.keep(t.Log))
	if err == nil {
		err = p.failure()
	}
	if err != nil {
		return nil, end, err
	}
	tally := newTally(from, to)
	if err := tally.read(log); err != nil {
		return nil, end, err
	}
	return t.summary(p, tally), end, nil
}

// args are pgbench's, all but those of its log and of its end.
func (t Test) args(script string) []string {
	args := []string{"--no-vacuum", "--file=" + script, "--protocol=" + t.Protocol, fmt.Sprintf("--scale=%d", t.Scale),
		fmt.Sprintf("--client=%d", t.Clients), fmt.Sprintf("--jobs=%d", min(t.Threads, t.Clients)),
		fmt.Sprintf("--random-seed=%d", t.Seed), "--failures-detailed"}
	for _, name := range slices.Sorted(maps.Keys(t.Params)) {
		args = append(args, "--define="+name+"="+t.Params[name])
	}
	return append(args, t.DSN)
}

// end is the option that says how long pgbench goes on.
func (t Test) end() string {
	if t.Transactions > 0 {
		return fmt.Sprintf("--transactions=%d", t.Transactions)
	}
	return untilAlarm
}

// measure waits until the window is over, and returns it.
func (t Test) measure(ctx context.Context, p *process) (from, to time.Time, err error) {
	from, to = p.began, p.began.Add(seconds(t.Seconds))
	if t.Transactions > 0 {
		if err := p.wait(ctx, to); err != nil {
			return from, to, err
		}
		return from, p.over.Add(time.Second), nil // all that it logged
	}
	if t.Warmup > 0 {
		select {
		case <-p.ready:
		case <-p.ended:
			return from, to, errors.Join(errors.New("pgbench ended before its clients were connected"), p.failure())
		case <-ctx.Done():
			return from, to, p.late(ctx.Err())
		}
		from = p.busy.Add(seconds(t.Warmup))
		to = from.Add(seconds(t.Seconds))
	}
	select {
	case <-p.ended:
		return from, to, errors.Join(errors.New("pgbench ended by itself"), p.failure())
	case <-ctx.Done():
		return from, to, ctx.Err()
	case <-time.After(time.Until(to)):
	}
	if err := p.signal(syscall.SIGALRM); err != nil {
		return from, to, err
	}
	select {
	case <-p.ended:
		return from, to, nil
	case <-ctx.Done():
		return from, to, p.late(ctx.Err())
	}
}

// wait waits for pgbench's own end.
func (p *process) wait(ctx context.Context, until time.Time) error {
	select {
	case <-p.ended:
		return p.failure()
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(until)):
		return p.late(fmt.Errorf("pgbench didn't end within %v", until.Sub(p.began).Round(time.Millisecond)))
	}
}

// late says what a pgbench that has had its time was at.
func (p *process) late(err error) error {
	select {
	case <-p.ready:
		return fmt.Errorf("its transactions weren't done in time: %w", err)
	default:
		return fmt.Errorf("its clients weren't all connected in time, and none begins before all are: %w", err)
	}
}

// end is how it ended.
func (p *process) end() End {
	state := p.command.ProcessState
	e := End{Exit: state.ExitCode(), Started: p.began, Ended: p.over, CPU: state.UserTime() + state.SystemTime()}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		e.Memory = usage.Maxrss << 10
	}
	return e
}

// keep writes what pgbench printed to a file, unless none is wanted.
func (p *process) keep(file string) error {
	if file == "" {
		return nil
	}
	text := strings.TrimSpace(p.said.String()) + "\n" + p.report.String()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write what pgbench printed: %w", err)
	}
	return nil
}

// summary is the test as k6 would have written it. pgbench sends what it prepares in exchanges of their own, the first
// of each client outside of a transaction. It opens one connection before those of its clients, and sends nothing over
// it.
func (t Test) summary(p *process, seen *tally) *summary.Summary {
	trend, prepares := "pg_statement", 0
	if t.Explicit {
		trend = "pg_transaction"
	}
	if t.Protocol == "prepared" {
		prepares = len(seen.began)
	}
	s := &summary.Summary{
		Trends: map[string]map[summary.Phase]summary.Trend{trend: {summary.Whole: seen.whole().trend()}},
		Counters: map[string]map[summary.Phase]float64{
			"pg_transactions":         {},
			"pg_prepare_transactions": {summary.Whole: float64(prepares)},
			"pg_connections":          {summary.Whole: float64(t.Clients + 1)},
			"pg_silent_connections":   {summary.Whole: 1},
		},
		First: map[string]summary.Trend{}, Later: map[string]summary.Trend{}, Statements: map[string]summary.Trend{},
	}
	measured := seen.times[summary.Measured].trend()
	if measured.Count > 0 {
		s.Trends[trend][summary.Measured] = measured
	}
	done := s.Counters["pg_transactions"]
	done[summary.Whole], done[summary.Measured] = float64(s.Trends[trend][summary.Whole].Count), float64(measured.Count)
	s.Errors = append([]summary.Error{}, seen.errors()...)
	s.Window = &summary.Window{Start: seen.from, End: seen.to, Seconds: seen.to.Sub(seen.from).Seconds(), Ready: t.Clients}
	if t.Transactions > 0 || t.Warmup == 0 {
		s.Finish = t.finish(p, seen, float64(measured.Count))
		s.Window.Seconds = s.Finish.Seconds
		s.Window.End = seen.from.Add(seconds(s.Finish.Seconds))
	}
	return s
}

// finish says how clients got done, of a test whose window begins with connecting. pgbench doesn't say how long a
// single client took to connect, and none begins before all are connected: that time stands for each.
func (t Test) finish(p *process, seen *tally, transactions float64) *summary.Finish {
	connecting, connected := p.connecting()
	f := &summary.Finish{Finished: seen.finished(t.Transactions), Seconds: seen.to.Sub(seen.from).Seconds()}
	if connected {
		f.Connected, f.ConnectedSeconds, f.MeanConnectSeconds = t.Clients, connecting, connecting
	}
	if t.Transactions > 0 && !seen.last.IsZero() {
		f.Seconds = seen.last.Sub(seen.from).Seconds()
	}
	f.Starved = t.Clients - seen.finished(1)
	f.TPSWithConnect = transactions / f.Seconds
	if working := f.Seconds - connecting; working > 0 {
		f.TPS = transactions / working
	}
	return f
}

var connectionTime = regexp.MustCompile(`(?m)^initial connection time = ([0-9.]+) ms`)

// connecting is how many seconds it took until all clients were connected, as pgbench reports it; a pgbench whose time
// was over before that doesn't.
func (p *process) connecting() (seconds float64, known bool) {
	found := connectionTime.FindStringSubmatch(p.report.String())
	if found == nil {
		return 0, false
	}
	ms, err := strconv.ParseFloat(found[1], 64)
	return ms / 1000, err == nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
