package run

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/lesson"
)

func TestProgress(t *testing.T) {
	cells := []lesson.Cell{{Path: "direct", Workload: "select", Clients: 10, Seconds: 8, Warmup: 1, Wanted: 2},
		{Path: "pgpool", Workload: "connect", Clients: 1, Latency: lesson.Through(10), Seconds: 8, Warmup: 1, Wanted: 2}}
	var out bytes.Buffer
	p := newProgress(&out, 2, cells)
	p.starting(1, cells[0])
	p.ended(cells[0], 13*time.Second) // 4 s beside its 9: a quarter of what is new counts
	p.starting(1, cells[1])
	want := "block 1/2, cell 1/4: direct, no proxy, select, 10 clients; about 0:41 left\n" +
		"block 1/2, cell 2/4: pgpool, 10 ms, connect, 1 client; about 0:33 left\n"
	if out.String() != want {
		t.Errorf("without a terminal it says\n%s\nand should\n%s", out.String(), want)
	}

	out.Reset()
	p.width = 40
	p.starting(2, cells[1])
	p.say("%s", "a line that stays")
	if got := out.String(); !strings.HasPrefix(got, "\r\x1b[Kblock 2/2, cell 2/4") || strings.Index(got, "\r\x1b[Ka line that stays\n") != len("\r\x1b[K")+39 {
		t.Errorf("on a terminal it says %q", got)
	}
}
