package run

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
	"pooler-lab/internal/trial"
)

// docOf is a run of these cells, and of a pair of the first two where pair is set.
func docOf(pair bool, cells ...lesson.Cell) *result.Run {
	doc := &result.Run{Blocks: 1}
	for _, c := range cells {
		doc.Cells = append(doc.Cells, result.Cell{Cell: c})
	}
	if pair {
		doc.Pairs = []result.Pair{{Block: 1, Of: cells[0].ID, To: cells[1].ID, Until: 0.05, AtMost: 58.5,
			Status: result.Planned}}
		doc.Blocks = 2
		doc.Cells[0].Paired, doc.Cells[1].Paired = 1, 1
	}
	return doc
}

// timed is a cell with a window of so many seconds.
func timed(id string, seconds float64, wanted int) lesson.Cell {
	return lesson.Cell{ID: id, Experiment: "größe", Path: "direct", Workload: "select", Clients: 10,
		Shared: lesson.Shared{Seconds: seconds}, Wanted: wanted}
}

// begins makes a progress on a clock of its own, whose first trial begins.
func begins(out io.Writer, doc *result.Run) (p *progress, pass func(time.Duration)) {
	now := time.Date(2026, 11, 21, 16, 0, 0, 0, time.UTC)
	p = newProgress(out, doc, 0)
	p.now = func() time.Time { return now }
	p.next(doc)
	return p, func(d time.Duration) { now = now.Add(d) }
}

// next begins the first trial that is left.
func (p *progress) next(doc *result.Run) {
	if len(doc.Pairs) > 0 && doc.Pairs[0].Status == result.Planned {
		p.starting(doc, trial.New(&doc.Pairs[0], 1, 1, 1, doc.Cells[0].Cell, doc.Cells[1].Cell))
		return
	}
	p.starting(doc, trial.New(nil, len(doc.Pairs)+1, 1, 1, doc.Cells[0].Cell))
}

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	doc := docOf(false, timed("a", 8.5, 4))
	p, pass := begins(&out, doc)
	pass(20 * time.Second)
	if got := metric.Clock(p.remaining()); got != "0:30" {
		t.Errorf("a trial that takes too long leaves %s, those after it take 0:30", got)
	}
	p.again("it was disturbed") // what a rejected attempt took says nothing
	pass(20 * time.Second)
	doc.Cells[0].Add(result.Repeat{Block: 1, Status: result.OK})
	p.over(doc, true)
	p.next(doc)
	p.width = 50
	p.enter(lesson.K6)
	want := "block 1/1, cell 1/4: größe: direct, select, 10 clients; about 0:40 left\n" +
		"block 1/1, cell 1/4, about 0:40 left, once more, since it was disturbed: größe: direct, select, 10 clients\n" +
		"block 1/1, cell 2/4: größe: direct, select, 10 clients; about 0:45 left\n" + // (10 + 20) of (10 + 10), of 30
		"\r\x1b[Kblock 1/1, cell 2/4, about 0:45 left, k6: größe: "
	if out.String() != want {
		t.Errorf("it says\n%s\nand should\n%s", out.String(), want)
	}
	out.Reset()
	p.say("%s", "a line that stays")
	if got := out.String(); got != "\r\x1b[Ka line that stays\n" {
		t.Errorf("a line that stays is written as %q", got)
	}
}

func TestProgressOfAPair(t *testing.T) {
	var out bytes.Buffer
	a, b := timed("a", 8.5, 2), timed("b", 8.5, 2)
	b.Path = "pooled"
	doc := docOf(true, a, b)
	p, pass := begins(&out, doc)
	p.width = 200
	pass(15 * time.Second)
	p.at.Phase = "k6"
	for _, step := range []struct {
		groups int
		want   string
	}{
		{10, "10 groups, ratio 0.81, until 5 %"},
		{20, "20 groups, ratio 0.81, not steady yet"},
		{30, "30 groups, ratio 0.81 (0.78 to 0.85), until 5 %"},
	} {
		out.Reset()
		p.groups(&result.Pair{Groups: step.groups, Until: 0.05}, outcome.Interval{Center: 0.81, Lo: 0.78, Hi: 0.85,
			N: step.groups, OfGroups: true, NeverSteady: step.groups == 20})
		want := "\r\x1b[Kpair 1/1, about 1:05 left, k6: " + step.want + ": größe: direct : pooled, select, 10 clients"
		if got := out.String(); got != strings.ReplaceAll(want, "größe: ", "") {
			t.Errorf("it says %q and should say %q", got, want)
		}
	}
	doc.Pairs[0].Status = result.OK
	for i := range doc.Cells {
		doc.Cells[i].Add(result.Repeat{Block: 1, Status: result.OK})
	}
	p.over(doc, true)
	if p.at.Done != 1 || p.at.Of != 3 || metric.Clock(p.remaining()) != "0:20" {
		t.Errorf("after the pair %d of %d are done, %s left", p.at.Done, p.at.Of, metric.Clock(p.remaining()))
	}
}

// Without a terminal there is a line for each trial, and one after a while in which nothing else was said.
func TestProgressIsNeverQuietForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		var quiet time.Duration
		last := time.Now()
		doc := docOf(false, timed("a", 100, 1))
		p := newProgress(writerFunc(func(line string) {
			out.WriteString(line)
			quiet, last = max(quiet, time.Since(last)), time.Now()
		}), doc, 0)
		over := p.during("reading the data")
		time.Sleep(time.Minute)
		over()
		p.next(doc)
		stop := p.tick()
		p.enter(lesson.K6)
		time.Sleep(time.Minute)
		stop()
		p.over(doc, true)
		if quiet = max(quiet, time.Since(last)); quiet > 20*time.Second {
			t.Errorf("it says nothing for %v", quiet)
		}
		if got := strings.Count(out.String(), "\n"); got > 10 {
			t.Errorf("it says too much in two minutes:\n%s", out.String())
		}
		if text := out.String(); !strings.HasPrefix(text, "reading the data\n") || strings.Contains(text, "\r") {
			t.Errorf("it says\n%s", text)
		}
	})
}

// On a terminal there is one line, never wider than that, whole letters of it, and nothing of it is left at the end.
func TestProgressIsOneLineOnATerminal(t *testing.T) {
	var out bytes.Buffer
	doc := docOf(false, timed("a", 1, 1))
	p := newProgress(&out, doc, 0)
	for p.width = 1; p.width < 90; p.width++ {
		p.next(doc)
		p.enter(lesson.K6)
		for _, line := range strings.Split(out.String(), "\r\x1b[K") {
			if n := utf8.RuneCountInString(line); n >= p.width || !utf8.ValidString(line) || strings.Contains(line, "\n") {
				t.Fatalf("on a terminal of %d columns it writes %q", p.width, line)
			}
		}
		out.Reset()
	}
	p.over(doc, true)
	p.clear()
	if p.draw(); out.String() != "\r\x1b[K" {
		t.Errorf("at the end there is %q", out.String())
	}
}

// A run that people watch in a terminal leaves its last step for who watches elsewhere, and takes it away at its end.
func TestRunLeavesItsLastStep(t *testing.T) {
	results := t.TempDir()
	doc := docOf(false, timed("a", 8.5, 3))
	p := newProgress(io.Discard, doc, 0)
	over := p.follow(results, "20261121T220000Z-00-tour")
	p.next(doc)
	s, ok := result.LastProgress(results)
	if !ok || s.Run != "20261121T220000Z-00-tour" || s.Of != 3 || s.Done != 0 || s.Block != 1 || s.Phase != "proving" ||
		s.SecondsLeft != 30 {
		t.Errorf("%+v, %v", s, ok)
	}
	over()
	p.draw()
	if s, ok := result.LastProgress(results); ok {
		t.Errorf("after the run: %+v", s)
	}
}
