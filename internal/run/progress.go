package run

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"pooler-lab/internal/driver"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/internal/session"
	"pooler-lab/k6/summary"
)

// perTrial is what a trial takes beside its warm-up and window, on a quiet machine: it starts k6, proves its paths and
// reads counts.
const perTrial = 1500 * time.Millisecond

// perScenario is what one takes, on a quiet machine.
const perScenario = 50 * time.Millisecond

// perReset is what putting the nodes back takes after a trial with events, on a quiet machine.
const perReset = 20 * time.Second

// The sorts of trials. Those of a sort take alike of what is planned for them: a window has a fixed length, and a pair
// or fixed work has a most that it may take.
const (
	windows = iota
	atMost
	sorts
)

// A planned trial is how long it takes as far as its plan says.
type planned struct {
	sort int
	time time.Duration
}

// plannedCell is a trial of one cell.
func plannedCell(c lesson.Cell) planned {
	p := planned{windows, inSeconds(driver.LeastWarmup(c)+c.Seconds) + perTrial}
	p.time += time.Duration(len(c.Scenarios)) * perScenario
	if c.Events != nil {
		p.time += perReset
	}
	if c.Transactions > 0 {
		p.sort = atMost
	}
	return p
}

// plannedPair is a trial of two cells.
func plannedPair(pair result.Pair, cells []result.Cell) planned {
	warmup := 0.0
	for _, c := range cells {
		if c.ID == pair.Of || c.ID == pair.To {
			warmup = max(warmup, c.Warmup)
		}
	}
	return planned{atMost, inSeconds(warmup+pair.AtMost) + perTrial}
}

// left are the trials of a run that have not ended: pairs, and repeats of cells that no pair has.
func left(doc *result.Run) (all []planned) {
	pairs := map[string]int{} // that have not ended, by cell
	for _, p := range doc.Pairs {
		if p.Status == result.Planned {
			pairs[p.Of]++
			pairs[p.To]++
			all = append(all, plannedPair(p, doc.Cells))
		}
	}
	for i := range doc.Cells {
		c := &doc.Cells[i]
		if runsWithAnother(doc, i) {
			continue
		}
		for range c.Left() - pairs[c.ID] {
			all = append(all, plannedCell(c.Cell))
		}
	}
	return all
}

// runsWithAnother says whether the cell runs at once with another one, and isn't the first of these.
func runsWithAnother(doc *result.Run, cell int) bool {
	c := &doc.Cells[cell]
	first := slices.IndexFunc(doc.Cells, func(o result.Cell) bool { return o.Experiment == c.Experiment })
	return c.Events != nil && cell != first
}

// An estimate says how long trials take: the sum of what is planned, scaled by what those that have ended took of it.
type estimate struct {
	left  [sorts]time.Duration // planned
	ended [sorts]time.Duration // planned
	took  [sorts]time.Duration
	// share is what trials of atMost take of their plan until some have ended, as far as the lesson's author says; 0 is
	// unknown.
	share float64
}

// newEstimate is that of a run's trials. expected is what its lesson's author says of all of it; 0 is unknown.
func newEstimate(doc *result.Run, expected time.Duration) estimate {
	var e estimate
	e.plan(left(doc))
	if expected > 0 && e.left[atMost] > 0 {
		e.share = min(1, max(0.1, float64(expected-e.left[windows])/float64(e.left[atMost])))
	}
	return e
}

// plan says what is left.
func (e *estimate) plan(all []planned) {
	e.left = [sorts]time.Duration{}
	for _, p := range all {
		e.left[p.sort] += p.time
	}
}

// scaled is how much of d trials of the sort take. What is known before any has ended counts as a quarter of them all.
func (e *estimate) scaled(sort int, d time.Duration) time.Duration {
	before := 1.0
	if sort == atMost && e.share > 0 {
		before = e.share
	}
	weight := float64(e.left[sort]+e.ended[sort]) / 4
	if weight == 0 {
		return d
	}
	return time.Duration(float64(d) * (before*weight + float64(e.took[sort])) / (weight + float64(e.ended[sort])))
}

// all is how long what is left takes.
func (e *estimate) all() time.Duration {
	return e.scaled(windows, e.left[windows]) + e.scaled(atMost, e.left[atMost])
}

// String says it to people, who are told of the most where nobody knows more.
func (e *estimate) String() string {
	if e.left[atMost] > 0 && e.share == 0 {
		return metric.Clock(e.all()) + " at most"
	}
	return "about " + metric.Clock(e.all())
}

// howMany says of what a run consists.
func howMany(doc *result.Run) string {
	repeats := metric.Count(len(left(doc))-len(doc.Pairs), "repeat")
	if len(doc.Pairs) == 0 {
		return repeats
	}
	return metric.Count(len(doc.Pairs), "pair") + " and " + repeats
}

// A progress tells how far a run is: on a terminal one line that is written anew each second, elsewhere a line a
// trial, and one whenever there was none for a while.
type progress struct {
	mu      sync.Mutex
	out     io.Writer
	width   int       // of the terminal, 0 where there is none
	told    time.Time // when the last line was written where there is no terminal
	outside string    // what is done while no trial runs, "" where nothing is to be said of it
	now     func() time.Time

	time  estimate
	pairs int
	at    Step // but for the seconds that are left

	running bool // a trial is, and these are of it
	planned planned
	began   time.Time

	results string // where to leave the last step, "" before the run and after it
}

// quietTime is how long nothing is written where there is no terminal.
const quietTime = 15 * time.Second

// newProgress makes one for a run that has not begun.
func newProgress(out io.Writer, doc *result.Run, expected time.Duration) *progress {
	p := &progress{out: out, time: newEstimate(doc, expected), now: time.Now}
	if _, ok := out.(*os.File); ok {
		p.width, _ = strconv.Atoi(os.Getenv("LAB_COLUMNS")) // of the terminal, nothing where it is none
	}
	p.count(doc)
	return p
}

// count notes what is left of the run.
func (p *progress) count(doc *result.Run) {
	all := left(doc)
	p.time.plan(all)
	p.pairs, p.at.Blocks, p.at.Of, p.at.Failed = len(doc.Pairs), doc.Blocks, len(doc.Pairs), 0
	for i, c := range doc.Cells {
		if !runsWithAnother(doc, i) {
			p.at.Of += c.Wanted - c.Paired
		}
		if c.Status == result.Failed {
			p.at.Failed++
		}
	}
	p.at.Done = p.at.Of - len(all)
}

// during says what is done before the first trial, until over is called.
func (p *progress) during(what string) (over func()) {
	p.doing(what)
	stop := p.tick()
	return func() {
		stop()
		p.doing("")
		p.clear()
	}
}

// doing says what is done while no trial runs; "" is nothing.
func (p *progress) doing(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.outside = what
	p.draw()
}

// tick writes the line, or the step, anew each second until stop is called.
func (p *progress) tick() (stop func()) {
	return every(time.Second, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.draw()
	})
}

// every calls do now and after each interval until stop is called, which waits for a call that is under way.
func every(interval time.Duration, do func()) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var calls sync.WaitGroup
	calls.Go(func() { session.Every(ctx, interval, do) })
	return func() { cancel(); calls.Wait() }
}

// starting says that the first attempt at a trial begins.
func (p *progress) starting(doc *result.Run, t *trial) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count(doc)
	of := t.sides[0].cell
	p.running, p.at.Block, p.outside = true, t.block, ""
	if t.pair == nil {
		p.planned, p.at.Cell = plannedCell(of), cellName(of)
		if of.Events != nil {
			p.at.Cell = of.Experiment + ": " + metric.Count(len(t.sides), "cell") + " at once"
		}
	} else {
		p.planned, p.at.Cell = plannedPair(*t.pair, doc.Cells), pairName(of, t.sides[summary.To].cell)
	}
	p.begin()
	if p.width == 0 {
		p.told = p.now()
		fmt.Fprintf(p.out, "%s: %s; about %s left\n", p.where(), p.at.Cell, metric.Clock(p.remaining()))
	}
	p.draw()
}

func (p *progress) begin() { p.began, p.at.Phase, p.at.Pair = p.now(), "proving", nil }

// again says that the trial begins anew: what it took until now says nothing of the others.
func (p *progress) again() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin()
	p.draw()
}

// enter says what the trial does now: proving, filling pools, or the program that its clients are in.
func (p *progress) enter(phase string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at.Phase = phase
	p.draw()
}

// groups says how many groups of a pair are complete, its precision and the interval of its first metric.
func (p *progress) groups(of *result.Pair, i outcome.Interval) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at.Pair = &PairStep{Groups: of.Groups, Ratio: i.Center, Until: of.Until, Unsteady: i.NeverSteady}
	if i.Known() {
		p.at.Pair.Lo, p.at.Pair.Hi = i.Lo, i.Hi
	}
	p.draw()
}

// over says that the trial is. Where it measured something, the others are expected to take as much of their plan.
func (p *progress) over(doc *result.Run, measured bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = false
	p.count(doc)
	if measured {
		p.time.ended[p.planned.sort] += p.planned.time
		p.time.took[p.planned.sort] += p.now().Sub(p.began)
	}
}

// draw writes the line of a terminal anew, or one elsewhere after a while without any, and the step.
func (p *progress) draw() {
	p.step()
	line := p.line()
	switch {
	case line == "":
	case p.width > 0:
		fmt.Fprintf(p.out, "\r\x1b[K%s", cut(line, p.width-1))
	case p.now().Sub(p.told) >= quietTime:
		p.told = p.now()
		fmt.Fprintln(p.out, line)
	}
}

// line says what is done now. What changes stands first: a narrow terminal cuts off the rest.
func (p *progress) line() string {
	if !p.running {
		return p.outside
	}
	doing := p.at.Phase
	if p.at.Pair != nil {
		doing += ": " + p.at.Pair.String()
	}
	return fmt.Sprintf("%s, about %s left, %s: %s", p.where(), metric.Clock(p.remaining()), doing, p.at.Cell)
}

// cut is the first letters of a line that is longer than a terminal is wide.
func cut(line string, width int) string {
	letters := []rune(line)
	return string(letters[:min(len(letters), max(0, width))])
}

// where says which trial it is: the pairs are the first blocks.
func (p *progress) where() string {
	if p.at.Block <= p.pairs {
		return fmt.Sprintf("pair %d/%d", p.at.Block, p.pairs)
	}
	return fmt.Sprintf("block %d/%d, cell %d/%d", p.at.Block, p.at.Blocks, p.at.Done+1, p.at.Of)
}

// remaining counts down while a trial runs, but never below what the trials after it take.
func (p *progress) remaining() time.Duration {
	if !p.running {
		return p.time.all()
	}
	return p.time.all() - min(p.now().Sub(p.began), p.time.scaled(p.planned.sort, p.planned.time))
}

// say writes a line that stays.
func (p *progress) say(format string, args ...any) {
	p.clear()
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, format+"\n", args...)
}

// clear takes the progress line off a terminal.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width > 0 {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// stepFile is within results/: how far the run under way is, whoever started it.
const stepFile = ".step"

// A Step is how far a run is, for programs that watch it: a run leaves one in results/ whenever something changes, and
// each second. LastStep reads it.
type Step struct {
	Run         string `json:"run"` // its folder's name
	Cell        string `json:"cell"`
	Phase       string `json:"phase"`
	Block       int    `json:"block"`
	Blocks      int    `json:"blocks"`
	Done        int    `json:"done"` // pairs, and repeats of cells that no pair has
	Of          int    `json:"of"`
	SecondsLeft int    `json:"seconds_left"`
	Failed      int    `json:"failed"` // cells
	// Pair is what the groups of the pair under way show, null where none is or none is complete.
	Pair *PairStep `json:"pair,omitempty"`
}

// A PairStep is how far a pair is: its interval closes until half its width is what was asked for.
type PairStep struct {
	Groups int     `json:"groups"`
	Ratio  float64 `json:"ratio"`
	Lo     float64 `json:"lo,omitempty"` // of the ratio's interval, once there are enough groups
	Hi     float64 `json:"hi,omitempty"`
	Until  float64 `json:"until"` // share of the ratio
	// Unsteady says that the pair drifts: so far it has no group that counts.
	Unsteady bool `json:"unsteady,omitempty"`
}

// String is what people read of it: 24 groups, ratio 0.81 (0.78 to 0.85), until 5 %.
func (s PairStep) String() string {
	text := fmt.Sprintf("%d groups, ratio %.3g", s.Groups, s.Ratio)
	switch {
	case s.Unsteady:
		return text + ", not steady yet"
	case s.Hi > 0:
		text += fmt.Sprintf(" (%.3g to %.3g)", s.Lo, s.Hi)
	}
	return fmt.Sprintf("%s, until %.3g %%", text, 100*s.Until)
}

// step leaves how far the progress is for LastStep, whole or not at all. It doesn't wait for the disk, which is being
// measured, and that it can't is no reason to stop measuring.
func (p *progress) step() {
	if p.results == "" { // before the run's folder is there, nobody can ask for it
		return
	}
	s := p.at
	s.SecondsLeft = int(max(0, p.remaining()).Round(time.Second).Seconds())
	if !p.running {
		s.Cell = ""
	}
	file := filepath.Join(p.results, stepFile)
	if text, err := json.Marshal(s); err == nil && os.WriteFile(file+".new", text, 0o644) == nil {
		_ = os.Rename(file+".new", file)
	}
}

// follow begins to tell of the run of that name in results, until the returned function is called.
func (p *progress) follow(results, run string) (over func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.results, p.at.Run, p.at.Phase = results, run, "beginning"
	p.step()
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.results = ""
		_ = os.Remove(filepath.Join(results, stepFile)) // a run that isn't under way any more isn't asked for it
	}
}

// LastStep is how far the run under way in results is; not ok where none has said.
func LastStep(results string) (s Step, ok bool) {
	text, err := os.ReadFile(filepath.Join(results, stepFile))
	if err != nil || json.Unmarshal(text, &s) != nil {
		return Step{}, false
	}
	return s, true
}
