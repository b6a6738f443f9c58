package run

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/topology"
)

// What a lesson's author says of fixed work holds for a part of it, too.
func TestAPartTakesItsShareOfTheLimits(t *testing.T) {
	cells := lesson.Experiment{Name: "known", Workload: lesson.Words{"select"}, Paths: []string{"direct"}, Latencies: []lesson.Latency{lesson.WithoutProxy},
		Clients: []int{1}, Protocol: lesson.Words{"simple"}, Roles: lesson.Words{"app"}, Seconds: 59, Warmup: 0.4, Repeats: 1}
	work := cells
	work.Name, work.Seconds, work.Warmup, work.Transactions, work.Repeats = "work", 239.4, 0, 5, 2
	l := &lesson.Lesson{Name: "x", Title: "t", Question: "q?", Minutes: 5, Experiments: []lesson.Experiment{cells, work}}
	set := &topology.Set{Paths: []topology.Path{{Name: "direct", Database: "postgresql"}}}
	share := shareOfLimits(l, set, false)
	if math.Abs(share-0.5) > 0.001 { // five minutes less one, of eight that the work may take
		t.Errorf("work takes %v of its limits", share)
	}
	part := &plan{lesson: l, share: share, cells: []lesson.Cell{{Path: "direct", Seconds: 239.4, Wanted: 1, Transactions: 5}}}
	if got := part.progress(&bytes.Buffer{}, 1, set, lesson.Override{}).howLong(); got != "about 2:00" {
		t.Errorf("half of the work takes %s", got)
	}
	seconds := 20.0
	if got := part.progress(&bytes.Buffer{}, 1, set, lesson.Override{Seconds: &seconds}).howLong(); got != "4:00 at most" {
		t.Errorf("half of the work takes %s where its limit isn't the author's", got)
	}
}

// TestProgress runs on a clock of its own.
func TestProgress(t *testing.T) {
	cells := []lesson.Cell{{Experiment: "far", Path: "direct", Workload: "select", Clients: 10, Seconds: 8, Warmup: 1, Wanted: 2},
		{Experiment: "far", Path: "pgpool", Workload: "connect", Clients: 1, Latency: lesson.Through(10), Seconds: 8, Warmup: 1, Fill: true, Wanted: 2}}
	var out bytes.Buffer
	now := time.Date(2026, 11, 21, 16, 0, 0, 0, time.UTC)
	p := newProgress(&out, 2, cells, func(c lesson.Cell) kind {
		if c.Fill {
			return filling
		}
		return quick
	})
	p.now = func() time.Time { return now }
	p.starting(1, cells[0]) // 4 x 9 s, 2 x 0.6 s, 2 x 5.5 s
	now = now.Add(13 * time.Second)
	p.ended() // 4 s beside its 9: a quarter of what is new counts, for the other quick cell alone
	p.starting(1, cells[1])
	p.enter("filling pools")
	want := "block 1/2, cell 1/4: far: direct, select, 10 clients; about 0:48 left\n" +
		"block 1/2, cell 2/4: far: pgpool, 10 ms, connect, 1 client; about 0:39 left\n"
	if out.String() != want {
		t.Errorf("without a terminal it says\n%s\nand should\n%s", out.String(), want)
	}

	out.Reset()
	p.width = 60
	now = now.Add(4 * time.Second)
	p.enter(load)
	if got, want := out.String(), "\r\x1b[Kblock 1/2, cell 2/4, about 0:35 left, k6: far: pgpool, 10 m"; got != want {
		t.Errorf("on a terminal it says %q, it should say %q", got, want)
	}
	p.loading, now = time.Time{}, now.Add(time.Hour)
	if got := clock(p.remaining()); got != "0:34" {
		t.Errorf("a preparation that takes far too long leaves %s, its load and the cells after it take 0:34", got)
	}
	fast := lesson.Cell{Seconds: 10, Wanted: 2, Transactions: 5}
	q := newProgress(&bytes.Buffer{}, 1, []lesson.Cell{fast, {Seconds: 1, Wanted: 1}}, kindIn(&topology.Set{}))
	q.now = func() time.Time { return now }
	q.starting(1, fast)
	now = now.Add(time.Hour)
	q.again() // an attempt that was rejected, however long it took
	now = now.Add(time.Second)
	q.ended()
	if got := clock(q.remaining()); got != "0:06" { // 0.4 of 10.6 s: (5.3 + 1) of (5.3 + 10.6); and 1.6 s of the other cell
		t.Errorf("work that was done early leaves %s", got)
	}
	small, large := lesson.Cell{Seconds: 19.4, Wanted: 1, Transactions: 5}, lesson.Cell{Seconds: 899.4, Wanted: 1, Transactions: 5}
	u := newProgress(&bytes.Buffer{}, 1, []lesson.Cell{small, large}, kindIn(&topology.Set{}))
	u.now = func() time.Time { return now }
	u.expect(0.3)
	u.starting(1, small)
	now = now.Add(2 * time.Second)
	u.ended()
	if got := clock(u.remaining()); got != "4:16" { // (0.3 x 230 + 2) of (230 + 20), of 900 s
		t.Errorf("after 2 s of the 20 that a small repeat could have taken, a large one is expected to take %s of its 15:00", got)
	}
	r := newProgress(&bytes.Buffer{}, 1, []lesson.Cell{{Seconds: 60, Wanted: 2, Transactions: 5}, {Seconds: 9, Wanted: 1}}, kindIn(&topology.Set{}))
	if got := r.howLong(); got != "2:11 at most" { // 2 x 60, 9, 3 x 0.6
		t.Errorf("fixed work that nobody knows takes %s", got)
	}
	if r.expect(50.4 / 121.2); r.howLong() != "about 1:00" {
		t.Errorf("fixed work that its author knows takes %s", r.howLong())
	}
	out.Reset()
	p.say("%s", "a line that stays")
	if got := out.String(); !strings.HasSuffix(got, "\r\x1b[Ka line that stays\n") {
		t.Errorf("a line that stays is written as %q", got)
	}
}

// Without a terminal there is a line for each repeat, and one after a while in which nothing else was said.
func TestProgressIsNeverQuietForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		var quiet time.Duration
		last := time.Now()
		cell := lesson.Cell{Experiment: "far", Path: "direct", Workload: "select", Clients: 10, Seconds: 100, Wanted: 1}
		p := newProgress(writerFunc(func(line string) {
			out.WriteString(line)
			quiet, last = max(quiet, time.Since(last)), time.Now()
		}), 1, []lesson.Cell{cell}, func(lesson.Cell) kind { return quick })
		over := p.during("reading the data")
		time.Sleep(time.Minute)
		over()
		p.starting(1, cell)
		stop := p.tick()
		p.enter(load)
		time.Sleep(time.Minute)
		stop()
		p.ended()
		if quiet = max(quiet, time.Since(last)); quiet > 20*time.Second {
			t.Errorf("it says nothing for %v", quiet)
		}
		if got := strings.Count(out.String(), "\n"); got > 10 {
			t.Errorf("it says too much in two minutes:\n%s", out.String())
		}
		if text := out.String(); !strings.HasPrefix(text, "reading the data\n") || strings.Contains(text, "\r") ||
			!strings.Contains(text, "\nblock 1/1, cell 1/1, about 0:56 left, k6: far: direct, select, 10 clients\n") {
			t.Errorf("it says\n%s", text)
		}
	})
}

// On a terminal there is one line, never wider than that, whole letters of it, and nothing of it is left at the end.
func TestProgressIsOneLineOnATerminal(t *testing.T) {
	var out bytes.Buffer
	cell := lesson.Cell{Experiment: "größe", Path: "direct", Workload: "select", Clients: 1, Seconds: 1, Wanted: 1}
	p := newProgress(&out, 1, []lesson.Cell{cell}, func(lesson.Cell) kind { return quick })
	for p.width = 1; p.width < 90; p.width++ {
		p.starting(1, cell)
		p.enter(load)
		for _, line := range strings.Split(out.String(), "\r\x1b[K") {
			if n := utf8.RuneCountInString(line); n >= p.width || !utf8.ValidString(line) || strings.Contains(line, "\n") {
				t.Fatalf("on a terminal of %d columns it writes %q", p.width, line)
			}
		}
		out.Reset()
	}
	p.ended()
	p.clear()
	if p.draw(); out.String() != "\r\x1b[K" {
		t.Errorf("at the end there is %q", out.String())
	}
}

// A countdown follows an estimate that rises by half a second in one, and one that falls at once.
func TestCountdownDoesNotJumpUp(t *testing.T) {
	now := time.Date(2026, 11, 21, 16, 0, 0, 0, time.UTC)
	p := newProgress(&bytes.Buffer{}, 1, nil, func(lesson.Cell) kind { return quick })
	p.now = func() time.Time { return now }
	for _, step := range []struct {
		after    time.Duration
		estimate float64 // seconds
		want     string
	}{{0, 67, "1:07"}, {4 * time.Second, 137, "1:09"}, {10 * time.Second, 137, "1:14"}, {time.Second, 40, "0:40"}} {
		now = now.Add(step.after)
		p.left = step.estimate
		if got := clock(p.countdown()); got != step.want {
			t.Errorf("with %g s left it shows %s, it should show %s", step.estimate, got, step.want)
		}
	}
}
