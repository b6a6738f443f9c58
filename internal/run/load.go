package run

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"pooler-lab/internal/driver"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
	"pooler-lab/k6/summary"
)

// calibrating is how many seconds two cells may take beside what each has anyway and their groups: to find out how long
// slots have to be, and to let the group under way end.
const calibrating = 15

// settling is how many seconds two cells may take until both are steady. Each side works in less than half of that
// time.
const settling = 45

// told is the trial as k6 is told of it.
func (r *runner) told(t *trial) driver.Trial {
	var told driver.Trial
	for _, s := range t.sides {
		told.End += driver.BesideWindow(s.cell)
		one := driver.Cell{Cell: s.cell, DSN: s.Path.DSN(), Scale: r.doc.Manifest.Scale,
			Seed: repeatSeed(r.doc.Seed, s.cell.ID, t.block), Password: server.Password(s.cell.Role)}
		if s.Path.At.Host == topology.Proxy { // otherwise the link is behind a pooler
			one.TCPHandshake = s.cell.Latency.MS()
		}
		told.Cells = append(told.Cells, one)
	}
	if t.pair == nil {
		told.End += t.sides[0].cell.Seconds
		if t.events() != nil {
			all := t.sides[0].cell // as if one cell had the clients of all
			for _, s := range t.sides[1:] {
				all.Clients += s.cell.Clients
			}
			told.AtMost = all.Seconds + float64(len(t.events()))*eventTime.Seconds()
			told.End = driver.BesideWindow(all) + told.AtMost
			file := filepath.Join(r.dir, t.file())
			told.Together, told.Opened, told.Stop = true, file+".opened", file+".stop"
		}
	} else {
		told.End += calibrating + settling + 1.25*t.pair.AtMost // where it lacks groups: see k6/pg
		told.AtMost, told.Settle, told.Fewest = t.pair.AtMost, settling, outcome.FewestGroups
		told.Seed = repeatSeed(r.doc.Seed, t.pair.Of+" "+t.pair.To, t.block)
		file := filepath.Join(r.dir, t.file())
		told.Groups, told.Stop = file+".groups", file+".stop"
	}
	for i := range told.Cells {
		told.Cells[i].Deadline = told.End
	}
	return told
}

// repeatSeed differs for each repeat of a run and is the same whenever a run has the same seed.
func repeatSeed(seed uint64, id string, block int) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, seed, id, block)
	return h.Sum32()
}

// file names what k6 writes of the trial, below the run's folder and without its ending.
func (t *trial) file() string {
	name := fmt.Sprintf("%s/%s-r%d", k6Folder, t.sides[0].cell.ID, t.block)
	if t.pair != nil {
		name = fmt.Sprintf("%s/pair-%d", k6Folder, t.block)
	}
	if t.number > 1 {
		name += fmt.Sprintf("-attempt%d", t.number)
	}
	return name
}

// lastGroup is how long the group under way has to end where a run is stopped: twice what groups take at most.
const lastGroup = 8 * time.Second

// untilGroup is a context for a pair's clients. Where ctx ends they end their group first: then what they measured is
// looked at as that of any other pair. Before the first group there is nothing to wait for.
func untilGroup(ctx context.Context, told driver.Trial) (context.Context, context.CancelFunc) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, func() {
		groups, err := os.Stat(told.Groups)
		if err == nil && groups.Size() > 0 {
			err = os.WriteFile(told.Stop, nil, 0o644)
		}
		if err != nil || groups.Size() == 0 {
			cancel()
			return
		}
		time.AfterFunc(lastGroup, cancel)
	})
	return lasting, func() { forget(); cancel() }
}

// load runs the program that the clients are in and reads what it saw. Two cells alternate until the interval of their
// ratio is as narrow as it has to be, or time is over: their whole groups are kept, whatever ends them.
func (r *runner) load(ctx context.Context, t *trial) error {
	told, file := r.told(t), t.file()
	lasting := ctx
	if t.pair != nil {
		var end func()
		lasting, end = untilGroup(ctx, told)
		defer end()
	}
	deadline := time.Duration(told.End * float64(time.Second))
	limited, cancel := context.WithTimeout(lasting, deadline)
	defer cancel()

	end := r.watch(limited, t, told) // a server that doesn't answer takes none of k6's time
	log, written := file+".log", file+".json"
	ended, err := told.Run(limited, r.script, filepath.Join(r.dir, log), filepath.Join(r.dir, written))
	watchErr := end()
	for _, s := range t.sides {
		s.out.Exit, s.out.Log = ended.Exit, log
	}
	if err != nil || lasting.Err() != nil {
		return errors.Join(err, lasting.Err())
	}
	seen, readErr := readSides(filepath.Join(r.dir, written), len(t.sides))
	if readErr == nil {
		r.take(t, seen, ended, written)
	}
	switch {
	case t.tooSlow != "":
		return errors.New(t.tooSlow)
	case limited.Err() != nil:
		return fmt.Errorf("it did not end within its deadline of %v", deadline)
	case ended.Exit != 0:
		return fmt.Errorf("k6 ended with code %d: %s%s", ended.Exit, r.lastLines(log), why(seen.Sides...))
	case readErr != nil:
		return fmt.Errorf("k6 left no summary: %w: %s", readErr, r.lastLines(log))
	case watchErr != nil:
		return watchErr
	}
	if err := t.complain(seen); err != nil {
		return fmt.Errorf("%w%s", err, r.mistake(log))
	}
	return nil
}

// exception is where k6's log begins to tell of a mistake in a script: what it is, and the place in the code.
var exception = regexp.MustCompile(`level=error msg="((?:[^"\\]|\\[^n])*)(?:\\n\\tat ([^"\\]*))?.*` +
	`hint="script exception"`)

// mistake is the first mistake in the script that k6's log tells of, with the place in the code; empty where it tells
// of none.
func (r *runner) mistake(log string) string {
	text, _ := os.ReadFile(filepath.Join(r.dir, log)) // there may be none
	found := exception.FindSubmatch(text)
	if found == nil {
		return ""
	}
	what := strings.ReplaceAll(string(found[1]), `\"`, `"`)
	return strings.TrimSuffix(fmt.Sprintf(": %s, at %s", what, found[2]), ", at ")
}

// readSides reads what the program of the clients wrote of so many cells. Where it can't, there are no sides.
func readSides(file string, cells int) (*summary.Test, error) {
	seen, err := summary.Read(file)
	if err != nil {
		return new(summary.Test), err
	}
	if len(seen.Sides) != cells || slices.Contains(seen.Sides, nil) {
		return new(summary.Test), fmt.Errorf("%s has no summary of each cell", filepath.Base(file))
	}
	return seen, nil
}

// watch begins to sample the databases and the pooler of one cell, or to follow the groups of two. Until it is ended,
// the lab's session with the pooler is not to be used for anything else.
func (r *runner) watch(ctx context.Context, t *trial, told driver.Trial) (end func() error) {
	switch {
	case t.pair != nil:
		return r.follow(t, told)
	case t.events() != nil:
		return r.play(ctx, t, told)
	}
	s := t.sides[0]
	subjects := sample.Subjects{Nodes: s.Path.Nodes(), Hz: s.cell.SamplesPerSecond, Pooler: s.Path.PoolerService()}
	if subjects.Pooler != "" {
		subjects.SamplePooler = func(ctx context.Context) (result.Pooler, error) {
			return r.servers.SamplePooler(ctx, s.Path)
		}
	}
	r.sessions.Start(subjects)
	return func() error { r.sessions.Stop(); return nil }
}

// take notes what k6 saw, and what that used of the machine.
func (r *runner) take(t *trial, seen *summary.Test, g driver.End, file string) {
	t.seen = seen
	var from, to time.Time
	for i, s := range seen.Sides {
		opened, closed := g.Started, g.Ended
		if s.Window != nil {
			opened, closed = s.Window.Start, s.Window.End
		}
		if i == 0 || opened.Before(from) {
			from = opened
		}
		if i == 0 || closed.After(to) {
			to = closed
		}
	}
	for i, s := range t.sides {
		s.out.Summary, s.out.Measured = file, measured(seen.Sides[i])
	}
	if len(t.sides) == 1 && t.events() == nil {
		s := t.sides[0]
		services := slices.Clone(s.Path.Services)
		if len(s.Path.Crossed) > 0 {
			services = append(services, topology.Proxy)
		}
		s.out.Resources = r.used(services, g, from, to)
		s.out.Nodes, s.out.Pooler = r.sessions.Between(from, to)
		return
	}
	if t.pair != nil {
		t.pair.SlotMS, t.pair.MedianMS, t.tooSlow = seen.SlotMS, seen.MedianMS, t.named(seen.TooSlow)
	}
	used := r.used(nil, g, from, to)
	used.GeneratorMB, used.GeneratorSeconds, used.NotMeasured = nil, nil, onlyTogether
	for i, s := range t.sides {
		own := *used
		if t.pair != nil && seen.HostCPU[i] != nil {
			own.HostCPU = seen.HostCPU[i]
		}
		s.out.Resources = &own
	}
}

// onlyTogether says why a repeat of a trial of several cells has no container.
const onlyTogether = "what containers use is known of the cells together only"

// used sums up what the trial took between two moments.
func (r *runner) used(services []string, g driver.End, from, to time.Time) *result.Resources {
	resources := r.sampler.Between(services, g.Started, from, to)
	if wall := g.Ended.Sub(g.Started); wall > 0 {
		cpu, memory := g.CPU.Seconds()/wall.Seconds()/float64(runtime.NumCPU()), float64(g.Memory)/(1<<20)
		seconds := g.CPU.Seconds()
		resources.GeneratorCPU, resources.GeneratorMB, resources.GeneratorSeconds = &cpu, &memory, &seconds
	}
	return resources
}

// complain returns why the trial measured nothing, or nil where it did.
func (t *trial) complain(seen *summary.Test) error {
	if seen.Failure != "" {
		return errors.New(t.named(seen.Failure) + why(seen.Sides...))
	}
	for i, s := range seen.Sides {
		if err := complain(s, t.sides[i].cell); err != nil {
			return fmt.Errorf("%s%w", t.prefix(i), err)
		}
	}
	if t.pair != nil && t.pair.Groups == 0 {
		return errors.New("no group of slots was complete")
	}
	return nil
}

// complain returns why k6 measured nothing of a cell, or nil where it did. Where the window begins with connecting,
// clients that could not even connect are a result: how much was done is what is measured.
func complain(s *summary.Summary, c lesson.Cell) error {
	switch {
	case s.Finish != nil:
		return nil
	case c.Transactions > 0:
		return errors.New("k6 didn't say how its clients got done" + why(s))
	}
	if s.Window == nil {
		return errors.New(strings.TrimSuffix("the measured window never opened: "+s.Unopened, ": ") + why(s))
	}
	if c.Events == nil && s.Count("pg_transactions", summary.Measured) == 0 {
		return errors.New("no transaction was committed in the measured window" + why(s))
	}
	return nil
}

// why lists what went wrong, each kind once, the most frequent of a side first.
func why(sides ...*summary.Summary) (text string) {
	for _, s := range sides {
		var kinds []string
		for _, e := range result.Ranked(s.Errors) {
			kinds = append(kinds, fmt.Sprintf("%d x %s (%s)", e.Count, e.Code, e.Message))
		}
		if len(kinds) > 0 {
			text += ": " + strings.Join(kinds, "; ")
		}
	}
	return text
}

// measured is the summary in run.json's terms. Where the window began with connecting, the rate is that of the work
// without the time to connect.
func measured(s *summary.Summary) *result.Measured {
	whole := func(counter string) int64 { return s.Count(counter, summary.Whole) }
	m := &result.Measured{
		Transactions: s.Count("pg_transactions", summary.Measured),
		Trends:       within(s.Trends),
		Late:         s.Count("pg_late", summary.Measured),
		Dropped:      s.Count("pg_dropped", summary.Measured),
		Errors:       append([]result.Error{}, s.Errors...),
		Counted: result.Counted{Transactions: whole("pg_transactions"), Prepares: whole("pg_prepare_transactions"),
			Connections: whole("pg_connections"), Silent: whole("pg_silent_connections"),
			Explicit: s.Trends["pg_transaction"][summary.Whole].Count},
		FirstConnects: s.First, LaterConnects: s.Later, Statements: s.Statements,
		Counters: within(s.Counters), Finish: s.Finish,
	}
	if w := s.Window; w != nil {
		m.WindowSeconds, m.ClientsReady = w.Seconds, w.Ready
		m.WarmedSeconds, m.Tenths = w.WarmedSeconds, w.Tenths
	}
	if m.WindowSeconds > 0 {
		m.TPS = float64(m.Transactions) / m.WindowSeconds
	}
	if s.Finish != nil {
		m.TPS = s.Finish.TPS
	}
	return m
}

// within are the values of metrics within the window.
func within[V any](metrics map[string]map[summary.Phase]V) map[string]V {
	all := map[string]V{}
	for name, phases := range metrics {
		if value, ok := phases[summary.Measured]; ok {
			all[name] = value
		}
	}
	return all
}

// lastLines returns the last five lines that are not empty of a file in the run's folder, for a message.
func (r *runner) lastLines(file string) string {
	text, _ := os.ReadFile(filepath.Join(r.dir, file))
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
