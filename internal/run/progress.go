package run

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/plan"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/trial"
	"pooler-lab/k6/summary"
)

// A sayer has lines written to it said.
type sayer func(format string, args ...any)

// Write says one line.
func (s sayer) Write(line []byte) (int, error) {
	s("%s", strings.TrimSpace(string(line)))
	return len(line), nil
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

	time  plan.Estimate
	pairs int
	at    result.Progress // but for the seconds that are left

	running bool // a trial is, and these are of it
	planned plan.Planned
	began   time.Time

	results string // where to leave the last step, "" before the run and after it
}

// quietTime is how long nothing is written where there is no terminal.
const quietTime = 15 * time.Second

// newProgress makes one for a run that has not begun.
func newProgress(out io.Writer, doc *result.Run, expected time.Duration) *progress {
	p := &progress{out: out, time: plan.NewEstimate(doc, expected), now: time.Now}
	if _, ok := out.(*os.File); ok {
		p.width, _ = strconv.Atoi(os.Getenv("LAB_COLUMNS")) // of the terminal, nothing where it is none
	}
	p.count(doc)
	return p
}

// count notes what is left of the run.
func (p *progress) count(doc *result.Run) {
	all := plan.Left(doc)
	p.time.Plan(all)
	p.pairs, p.at.Blocks, p.at.Of, p.at.Failed = len(doc.Pairs), doc.Blocks, len(doc.Pairs), 0
	for i, c := range doc.Cells {
		if !plan.RunsWithAnother(doc, i) {
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
	return shared.Repeat(time.Second, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.draw()
	})
}

// starting says that the first attempt at a trial begins.
func (p *progress) starting(doc *result.Run, t *trial.Trial) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count(doc)
	of := t.Sides[0].Cell
	p.running, p.at.Block, p.outside = true, t.Block, ""
	if t.Pair == nil {
		p.planned, p.at.Cell = plan.OfCell(of), outcome.FullName(of)
		if of.Events != nil {
			p.at.Cell = of.Experiment + ": " + metric.Count(len(t.Sides), "cell") + " at once"
		}
	} else {
		p.planned, p.at.Cell = plan.OfPair(*t.Pair, doc.Cells), outcome.PairName(of, t.Sides[summary.To].Cell)
	}
	p.begin()
	if p.width == 0 {
		p.told = p.now()
		fmt.Fprintf(p.out, "%s: %s; about %s left\n", p.where(), p.at.Cell, metric.Clock(p.remaining()))
	}
	p.draw()
}

func (p *progress) begin() { p.began, p.at.Phase, p.at.Pair = p.now(), "proving", nil }

// again says that the trial begins anew, and why: what it took until now says nothing of the others.
func (p *progress) again(reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin()
	p.at.Phase = "once more, since " + reason
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
	p.at.Pair = &result.PairProgress{Groups: of.Groups, Ratio: i.Center, Until: of.Until, Unsteady: i.NeverSteady}
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
		p.time.Took(p.planned, p.now().Sub(p.began))
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
		return p.time.All()
	}
	return p.time.All() - min(p.now().Sub(p.began), p.time.Of(p.planned))
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

// step leaves how far the progress is for programs that watch it.
func (p *progress) step() {
	if p.results == "" { // before the run's folder is there, nobody can ask for it
		return
	}
	s := p.at
	s.SecondsLeft = int(max(0, p.remaining()).Round(time.Second).Seconds())
	if !p.running {
		s.Cell = ""
	}
	s.Write(p.results)
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
		result.RemoveProgress(results)
	}
}
