package run

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"pooler-lab/internal/lesson"
)

// A progress tells how far a run is: on a terminal one line that is written anew, elsewhere a line a cell.
type progress struct {
	out    io.Writer
	width  int // of the terminal, 0 where there is none
	blocks int
	total  int // repeats
	done   int
	left   float64 // seconds of measuring that the repeats not done yet ask for
	extra  time.Duration
}

// firstExtra is what a repeat takes beside its warm-up and window, until the run has seen it: starting k6, proving
// the path, reading counts.
const firstExtra = 1200 * time.Millisecond

func newProgress(out io.Writer, blocks int, cells []lesson.Cell) *progress {
	p := &progress{out: out, blocks: blocks, extra: firstExtra}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.width = 80
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			p.width = width
		}
	}
	for _, c := range cells {
		p.total += c.Wanted
		p.left += float64(c.Wanted) * (c.Warmup + c.Seconds)
	}
	return p
}

// starting says that the next repeat begins.
func (p *progress) starting(block int, c lesson.Cell) {
	line := fmt.Sprintf("block %d/%d, cell %d/%d: %s, %s, %s, %d client%s; about %s left", block, p.blocks, p.done+1, p.total,
		c.Path, spoken(c.Latency), c.Workload, c.Clients, plural(c.Clients), clock(p.remaining()))
	if p.width == 0 {
		fmt.Fprintln(p.out, line)
		return
	}
	if len(line) >= p.width {
		line = line[:p.width-1]
	}
	fmt.Fprintf(p.out, "\r\x1b[K%s", line)
}

// ended says that the repeat of c is over after took, attempts that were rejected included.
func (p *progress) ended(c lesson.Cell, took time.Duration) {
	p.done++
	p.left -= c.Warmup + c.Seconds
	extra := took - time.Duration((c.Warmup+c.Seconds)*float64(time.Second))
	p.extra += (extra - p.extra) / 4 // a mean that forgets
}

func (p *progress) remaining() time.Duration {
	return time.Duration(p.left*float64(time.Second)) + time.Duration(p.total-p.done)*p.extra
}

// say writes a line that stays.
func (p *progress) say(format string, args ...any) {
	p.clear()
	fmt.Fprintf(p.out, format+"\n", args...)
}

// clear takes the progress line off a terminal.
func (p *progress) clear() {
	if p.width > 0 {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

func spoken(l lesson.Latency) string {
	if !l.Proxied() {
		return "no proxy"
	}
	return fmt.Sprintf("%d ms", l.MS())
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// clock writes d as minutes and seconds.
func clock(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
