package trial

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

	"pooler-lab/internal/generator"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/shared"
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
func (lab *Lab) told(t *Trial) generator.Job {
	var told generator.Job
	for _, s := range t.Sides {
		told.End += generator.BesideWindow(s.Cell)
		one := generator.Task{Cell: s.Cell, DSN: s.Route.DSN(), Scale: lab.Scale,
			Seed: repeatSeed(lab.Seed, s.Cell.ID, t.Block), Password: topology.Password(s.Cell.Role)}
		if s.Route.At.Host == topology.Proxy { // otherwise the link is behind a pooler
			one.TCPHandshake = s.Cell.Latency.MS()
		}
		told.Cells = append(told.Cells, one)
	}
	if t.Pair == nil {
		told.End += t.Sides[0].Cell.Seconds
		if t.Events() != nil {
			all := t.Sides[0].Cell // as if one cell had the clients of all
			for _, s := range t.Sides[1:] {
				all.Clients += s.Cell.Clients
			}
			told.AtMost = all.Seconds + float64(len(t.Events()))*eventTime.Seconds()
			told.End = generator.BesideWindow(all) + told.AtMost
			file := filepath.Join(lab.Folder, t.file())
			told.Together, told.Opened, told.Stop = true, file+".opened", file+".stop"
		}
	} else {
		told.End += calibrating + settling + 1.25*t.Pair.AtMost // where it lacks groups: see k6/pg
		told.AtMost, told.Settle, told.Fewest = t.Pair.AtMost, settling, outcome.FewestGroups
		told.Seed = repeatSeed(lab.Seed, t.Pair.Of+" "+t.Pair.To, t.Block)
		file := filepath.Join(lab.Folder, t.file())
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
func (t *Trial) file() string {
	name := fmt.Sprintf("%s/%s-r%d", K6Folder, t.Sides[0].Cell.ID, t.Block)
	if t.Pair != nil {
		name = fmt.Sprintf("%s/pair-%d", K6Folder, t.Block)
	}
	if t.Number > 1 {
		name += fmt.Sprintf("-attempt%d", t.Number)
	}
	return name
}

// lastGroup is how long the group under way has to end where a run is stopped: twice what groups take at most.
const lastGroup = 8 * time.Second

// untilGroup is a context for a pair's clients. Where ctx ends they end their group first: then what they measured is
// looked at as that of any other pair. Before the first group there is nothing to wait for.
func untilGroup(ctx context.Context, told generator.Job) (context.Context, context.CancelFunc) {
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
func (lab *Lab) load(ctx context.Context, t *Trial) error {
	told, file := lab.told(t), t.file()
	lasting := ctx
	if t.Pair != nil {
		var end func()
		lasting, end = untilGroup(ctx, told)
		defer end()
	}
	deadline := shared.Seconds(told.End)
	limited, cancel := context.WithTimeout(lasting, deadline)
	defer cancel()

	end := lab.watch(limited, t, told) // a server that doesn't answer takes none of k6's time
	log, written := file+".log", file+".json"
	ended, err := told.Run(limited, lab.Script, filepath.Join(lab.Folder, log), filepath.Join(lab.Folder, written))
	watchErr := end()
	for _, s := range t.Sides {
		s.Out.Exit, s.Out.Log = ended.Exit, log
	}
	if err != nil || lasting.Err() != nil {
		return errors.Join(err, lasting.Err())
	}
	seen, readErr := readSides(filepath.Join(lab.Folder, written), len(t.Sides))
	if readErr == nil {
		lab.take(t, seen, ended, written)
	}
	switch {
	case t.TooSlow != "":
		return errors.New(t.TooSlow)
	case limited.Err() != nil:
		return fmt.Errorf("it did not end within its deadline of %v", deadline)
	case ended.Exit != 0:
		return fmt.Errorf("k6 ended with code %d: %s%s", ended.Exit, lab.lastLines(log), why(seen.Sides...))
	case readErr != nil:
		return fmt.Errorf("k6 left no summary: %w: %s", readErr, lab.lastLines(log))
	case watchErr != nil:
		return watchErr
	}
	mistake := lab.mistake(log)
	if err := t.complain(seen); err != nil {
		return fmt.Errorf("%w%s", err, mistake)
	}
	if mistake != "" { // some iterations may have gone well, or the clients of fixed work have ended
		return errors.New("the script failed" + mistake)
	}
	return nil
}

// exception is where k6's log begins to tell of a mistake in a script: what it is, and the place in the code.
var exception = regexp.MustCompile(`level=error msg="((?:[^"\\]|\\[^n])*)(?:\\n\\tat ([^"\\]*))?.*` +
	`hint="script exception"`)

// mistake is the first mistake in the script that k6's log tells of, with the place in the code; empty where it tells
// of none.
func (lab *Lab) mistake(log string) string {
	text, _ := os.ReadFile(filepath.Join(lab.Folder, log)) // there may be none
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
func (lab *Lab) watch(ctx context.Context, t *Trial, told generator.Job) (end func() error) {
	switch {
	case t.Pair != nil:
		return lab.follow(t, told)
	case t.Events() != nil:
		return lab.play(ctx, t, told)
	}
	s := t.Sides[0]
	subjects := sample.Subjects{Nodes: s.Route.Nodes(), Hz: s.Cell.SamplesPerSecond, Pooler: s.Route.PoolerService()}
	if subjects.Pooler != "" {
		subjects.SamplePooler = func(ctx context.Context) (result.Pooler, error) {
			return lab.Servers.SamplePooler(ctx, s.Route)
		}
	}
	lab.Sessions.Start(subjects)
	return func() error { lab.Sessions.Stop(); return nil }
}

// take notes what k6 saw, and what that used of the machine.
func (lab *Lab) take(t *Trial, seen *summary.Test, g generator.End, file string) {
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
	for i, s := range t.Sides {
		s.Out.Summary, s.Out.Measured = file, measured(seen.Sides[i])
	}
	if len(t.Sides) == 1 && t.Events() == nil {
		s := t.Sides[0]
		services := slices.Clone(s.Route.Services)
		if len(s.Route.Crossed) > 0 {
			services = append(services, topology.Proxy)
		}
		s.Out.Resources = lab.used(services, g, from, to)
		s.Out.Nodes, s.Out.Pooler = lab.Sessions.Between(from, to)
		return
	}
	if t.Pair != nil {
		t.Pair.SlotMS, t.Pair.MedianMS, t.TooSlow = seen.SlotMS, seen.MedianMS, t.named(seen.TooSlow)
	}
	used := lab.used(nil, g, from, to)
	used.GeneratorMB, used.GeneratorSeconds, used.NotMeasured = nil, nil, onlyTogether
	for i, s := range t.Sides {
		own := *used
		if t.Pair != nil && seen.HostCPU[i] != nil {
			own.HostCPU = seen.HostCPU[i]
		}
		s.Out.Resources = &own
	}
}

// onlyTogether says why a repeat of a trial of several cells has no container.
const onlyTogether = "what containers use is known of the cells together only"

// used sums up what the trial took between two moments.
func (lab *Lab) used(services []string, g generator.End, from, to time.Time) *result.Resources {
	resources := lab.Sampler.Between(services, g.Started, from, to)
	if wall := g.Ended.Sub(g.Started); wall > 0 {
		cpu, memory := g.CPU.Seconds()/wall.Seconds()/float64(runtime.NumCPU()), float64(g.Memory)/(1<<20)
		seconds := g.CPU.Seconds()
		resources.GeneratorCPU, resources.GeneratorMB, resources.GeneratorSeconds = &cpu, &memory, &seconds
	}
	return resources
}

// complain returns why the trial measured nothing, or nil where it did.
func (t *Trial) complain(seen *summary.Test) error {
	if seen.Failure != "" {
		return errors.New(t.named(seen.Failure) + why(seen.Sides...))
	}
	for i, s := range seen.Sides {
		if err := complain(s, t.Sides[i].Cell); err != nil {
			return fmt.Errorf("%s%w", t.prefix(i), err)
		}
	}
	if t.Pair != nil && t.Pair.Groups == 0 {
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
func (lab *Lab) lastLines(file string) string {
	text, _ := os.ReadFile(filepath.Join(lab.Folder, file))
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
