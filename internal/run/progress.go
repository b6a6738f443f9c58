package run

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// A progress tells how far a run is: on a terminal one line that is written anew each second, elsewhere a line a
// cell, and one whenever there was none for a while.
type progress struct {
	mu      sync.Mutex
	out     io.Writer
	width   int       // of the terminal, 0 where there is none
	told    time.Time // when the last line was written where there is no terminal
	outside string    // what is done while no repeat runs, "" where nothing is to be said of it
	blocks  int
	total   int // pairs, and repeats of cells that no pair has
	done    int
	kindOf  func(lesson.Cell) kind
	left    float64              // seconds of measuring that the repeats not done yet ask for, without fixed work
	extra   [kinds]time.Duration // what a repeat takes beside its warm-up and window
	pending [kinds]int           // repeats not done yet
	now     func() time.Time

	work fixedWork

	pairs  int       // how many of the total are
	paired fixedWork // what is known of how long they take

	running bool // a repeat or a pair is, and these are of it
	block   int
	cell    lesson.Cell
	pair    *runningPair // nil for a repeat
	began   time.Time
	loading time.Time // when k6 was started, zero before
	phase   string

	shown   time.Duration // time left as the screen had it last
	shownAt time.Time     // zero before

	steps   *steps // nil where people watch
	results string // where to leave the last step, "" before the run and after it
	run     string // its folder's name
	failed  int    // cells
}

// quietTime is how long nothing is written where there is no terminal.
const quietTime = 15 * time.Second

// load is the phase in which the repeat's clients are at work. People see the program that they are in.
const load = "k6"

// A kind is a sort of cells that take equally long beside their warm-up and window.
type kind int

const (
	quick   kind = iota // starting k6, proving the path, reading counts
	forking             // through a pooler that has a process for each client, which take their time
	filling             // the same, after all of them have opened their backends
	working             // a fixed number of transactions a client: the window is the most that they may take; see fixedWork
	kinds
)

// firstExtra is what a repeat takes beside its warm-up and window until the run has seen one of its kind.
var firstExtra = [kinds]time.Duration{600 * time.Millisecond, 1600 * time.Millisecond, 5500 * time.Millisecond, 600 * time.Millisecond}

// fixedWork is what is known of repeats that do a fixed number of transactions: each takes some share of its limit.
type fixedWork struct {
	left, done time.Duration // limits of the repeats
	took       time.Duration // what those that are done have taken
	said       float64       // the share that their author expects, 0 where that is unknown
}

// limit is how long a repeat of c, which does fixed work, may take.
func limit(c lesson.Cell) time.Duration { return inSeconds(c.Warmup+c.Seconds) + firstExtra[working] }

// share is what of their limits the repeats take: what was said of it counts as much as a quarter of them all.
func (w *fixedWork) share() float64 {
	said := w.said
	if said == 0 {
		said = 1
	}
	weight := float64(w.left+w.done) / 4
	if weight == 0 {
		return said
	}
	return (said*weight + float64(w.took)) / (weight + float64(w.done))
}

// newProgress makes one for the cells.
func newProgress(out io.Writer, blocks int, cells []lesson.Cell, kindOf func(lesson.Cell) kind) *progress {
	p := &progress{out: out, blocks: blocks, extra: firstExtra, kindOf: kindOf, now: time.Now}
	p.steps, _ = out.(*steps)
	if _, ok := out.(*os.File); ok {
		p.width, _ = strconv.Atoi(os.Getenv("LAB_COLUMNS")) // of the terminal, nothing where it is none
	}
	for _, c := range cells {
		p.plan(c, c.Wanted-c.Paired)
	}
	return p
}

// plan adds so many repeats of the cell to what is to be done.
func (p *progress) plan(c lesson.Cell, repeats int) {
	p.total += repeats
	if k := p.kindOf(c); k == working {
		p.work.left += time.Duration(repeats) * limit(c)
	} else {
		p.left += float64(repeats) * (c.Warmup + c.Seconds)
		p.pending[k] += repeats
	}
}

// expected is how much of a limit is taken.
func (w *fixedWork) expected(limit time.Duration) time.Duration {
	return time.Duration(w.share() * float64(limit))
}

// expect has fixed work take that share of what its limits allow, where its author says so (not 0): nobody can know it
// from the cells, a fixed number of transactions takes as long as it takes.
func (p *progress) expect(share float64) { p.work.said = share }

// howLong says how long the run takes.
func (p *progress) howLong() string {
	if p.work.left > 0 && p.work.said == 0 {
		return fmt.Sprintf("%s at most", clock(p.remaining()))
	}
	return "about " + clock(p.remaining())
}

// during says what is done before the first repeat, until over is called.
func (p *progress) during(what string) (over func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.outside = what
	p.draw()
	stop := p.tick()
	return func() {
		stop()
		p.mu.Lock()
		p.outside = ""
		p.mu.Unlock()
		p.clear()
	}
}

// tick writes the line, or the step, anew each second until stop is called.
func (p *progress) tick() (stop func()) {
	ticker, ended := time.NewTicker(time.Second), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				p.mu.Lock()
				p.draw()
				p.mu.Unlock()
			case <-ended:
				return
			}
		}
	}()
	return func() { ticker.Stop(); close(ended) }
}

// starting says that the next repeat begins.
func (p *progress) starting(block int, c lesson.Cell) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running, p.block, p.cell, p.pair = true, block, c, nil
	p.began, p.loading, p.phase = p.now(), time.Time{}, "proving"
	p.begin()
}

// begin writes a line for what begins, and the step.
func (p *progress) begin() {
	p.outside = ""
	if p.width == 0 {
		p.told = p.now()
		fmt.Fprintf(p.out, "%s: %s; about %s left\n", p.place(), p.name(), clock(p.countdown()))
	}
	p.draw()
}

// again says that the repeat begins anew: what it took until now says nothing of the others.
func (p *progress) again() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began, p.loading, p.phase = p.now(), time.Time{}, "proving"
	if p.pair != nil {
		p.pair.seen = false
	}
	p.draw()
}

// enter says what the repeat does now: proving, filling pools, k6.
func (p *progress) enter(phase string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.phase = phase
	p.loading = time.Time{}
	if phase == load {
		p.loading, p.phase = p.now(), p.cell.DrivenBy()
	}
	p.draw()
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
	doing := p.phase
	if p.pair != nil && p.pair.seen {
		doing += ": " + p.pair.String()
	}
	return fmt.Sprintf("%s, about %s left, %s: %s", p.place(), clock(p.countdown()), doing, p.name())
}

// cut is the first letters of a line that is longer than a terminal is wide.
func cut(line string, width int) string {
	letters := []rune(line)
	return string(letters[:min(len(letters), max(0, width))])
}

// name is what the repeat or the pair is of.
func (p *progress) name() string {
	if p.pair != nil {
		return p.pair.name
	}
	return what(p.cell)
}

func (p *progress) place() string {
	if p.pair != nil {
		return fmt.Sprintf("pair %d/%d", p.block, p.pairs)
	}
	return fmt.Sprintf("block %d/%d, cell %d/%d", p.block, p.blocks, p.done+1, p.total)
}

// what names a cell as people read it.
func what(c lesson.Cell) string { return c.Experiment + ": " + outcome.Name(&result.Cell{Cell: c}) }

// ended says that the repeat is over.
func (p *progress) ended() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = false
	p.done++
	if p.pair != nil {
		p.paired.left -= p.pair.limit
		if p.pair.seen { // one that came to nothing says nothing of the others
			p.paired.done += p.pair.limit
			p.paired.took += p.now().Sub(p.began)
		}
		p.pair = nil
		return
	}
	k := p.kindOf(p.cell)
	if k == working {
		p.work.left -= limit(p.cell)
		p.work.done += limit(p.cell)
		p.work.took += p.now().Sub(p.began)
		return
	}
	measuring := p.cell.Warmup + p.cell.Seconds
	p.left -= measuring
	p.pending[k]--
	p.extra[k] += (p.now().Sub(p.began) - inSeconds(measuring) - p.extra[k]) / 4 // a mean that forgets
}

// remaining counts down while a repeat runs, but never below what the repeats after it take.
func (p *progress) remaining() time.Duration {
	d := inSeconds(p.left) + p.work.expected(p.work.left) + p.paired.expected(p.paired.left)
	for k := range kinds {
		d += time.Duration(p.pending[k]) * p.extra[k]
	}
	return d - p.spent()
}

// countdown is the time left as people see it. It falls with the estimate, and where the estimate rises it follows
// slowly, by a second in two: a countdown that jumps up by a minute is believed by nobody.
func (p *progress) countdown() time.Duration {
	now, left := p.now(), p.remaining()
	if !p.shownAt.IsZero() {
		left = min(left, p.shown+now.Sub(p.shownAt)/2)
	}
	p.shown, p.shownAt = left, now
	return left
}

// spent is how much of what the running repeat was expected to take is over. However long the preparation takes, the
// load is still to come.
func (p *progress) spent() time.Duration {
	if !p.running {
		return 0
	}
	if p.pair != nil {
		return p.spentOnPair()
	}
	k := p.kindOf(p.cell)
	extra := p.extra[k]
	switch {
	case k == working:
		return min(p.now().Sub(p.began), p.work.expected(limit(p.cell)))
	case p.loading.IsZero():
		return min(p.now().Sub(p.began), extra)
	}
	return min(p.loading.Sub(p.began), extra) + min(p.now().Sub(p.loading), inSeconds(p.cell.Warmup+p.cell.Seconds))
}

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

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

// clock writes d as minutes and seconds.
func clock(d time.Duration) string {
	s := int(max(0, d).Round(time.Second).Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
