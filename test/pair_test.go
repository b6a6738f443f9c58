package test

import (
	"slices"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// pairPlan has a comparison side by side that stops as soon as there is an interval, and one both side by side and in
// blocks.
const pairPlan = `title: Pairs
question: Do two cells alternate?
explanation: They have to.
minutes: 2
until: 50 %
at_most: 600
defaults:
  latencies: [none]
  clients: [4]
  protocol: simple
  repeats: 3
  seconds: 0.7
  warmup_seconds: 0.5
experiments:
  - name: write
    workload: tpcb
    paths: [direct, pgbouncer-session]
    clients: [2]
    writes: true
  - name: slots
    workload: select
    paths: [direct, pgbouncer-transaction]
    clients: [10]
    protocol: prepared
  - name: blocks
    workload: select
    paths: [direct, pgbouncer-transaction]
    clients: [10]
    protocol: prepared
    in_blocks: what alternates has to have the ratio of what doesn't
    seconds: 2
    repeats: 6
comparisons:
  - name: write
    text: TPS through PgBouncer in session mode, to direct
    metric: tps
    of: {experiment: write, path: pgbouncer-session}
    to: {experiment: write, path: direct}
  - name: TPS in slots
    text: TPS through PgBouncer, to direct
    metric: tps
    of: {experiment: slots, path: pgbouncer-transaction}
    to: {experiment: slots, path: direct}
    until: 10 %
  - name: TPS in blocks
    text: TPS through PgBouncer, to direct
    metric: tps
    of: {experiment: blocks, path: pgbouncer-transaction}
    to: {experiment: blocks, path: direct}
  - name: p50 in slots
    text: Response time through PgBouncer, to direct
    metric: p50
    of: {experiment: slots, path: pgbouncer-transaction}
    to: {experiment: slots, path: direct}
    until: 10 %
  - name: p50 in blocks
    text: Response time through PgBouncer, to direct
    metric: p50
    of: {experiment: blocks, path: pgbouncer-transaction}
    to: {experiment: blocks, path: direct}
`

// Both paths of a pair are proved, and what the servers count is the sum of both cells.
func TestCellsSideBySide(t *testing.T) {
	savePlan(t, "97-pairs", pairPlan, cellsScript)
	run := start(t, "run", "97-pairs", "--experiments", "write").finished(t, 0)
	checkRestored(t)
	if len(run.Pairs) != 1 || len(run.Unpaired) != 0 {
		t.Fatalf("the pairs are %+v, unpaired are %+v", run.Pairs, run.Unpaired)
	}
	p := run.Pairs[0]
	if p.Status != result.OK || p.Groups < outcome.EarliestGroups || len(p.Figures["tps"]) != p.Groups || p.SlotMS == 0 {
		t.Fatalf("the pair is %s with %d groups: %s", p.Status, p.Groups, p.Reason)
	}
	if i := outcome.Groups(p.Figures["tps"]); !i.Known() || i.Center <= 0 {
		t.Errorf("its interval is %+v", i)
	}
	for _, c := range run.Cells {
		if c.ID != p.Of && c.ID != p.To {
			continue
		}
		repeat := c.In(p.Block)
		if repeat == nil || c.Paired != 1 || c.Wanted != 2 {
			t.Fatalf("%s has no repeat in block %d: %s", c.ID, p.Block, reasons(c))
		}
		if len(repeat.Proof) == 0 || repeat.RoundTrip == nil || len(repeat.Measured.Errors) > 0 {
			t.Errorf("%s: %d facts, round trip %v, errors %+v", c.ID, len(repeat.Proof), repeat.RoundTrip,
				repeat.Measured.Errors)
		}
		checkCounts(t, *repeat)
		for _, what := range []string{"of both cells of the pair, xact_commit of primary", "rows of pgbench_history",
			"SHOW STATS of PgBouncer"} {
			if !counted(repeat, what) && (c.Path != "direct" || !strings.HasPrefix(what, "SHOW")) {
				t.Errorf("%s: nothing counts %q: %+v", c.ID, what, repeat.Counts)
			}
		}
	}
}

// counted says whether some count is called so.
func counted(r *result.Repeat, what string) bool {
	return slices.ContainsFunc(r.Counts, func(c result.Count) bool { return strings.Contains(c.What, what) })
}

// BenchmarkSlotsAgreeWithBlocks: two paths have the same ratio whether their clients alternate or not.
func BenchmarkSlotsAgreeWithBlocks(b *testing.B) {
	const most = 1.5 // room for more than that says nothing
	savePlan(b, "97-pairs", pairPlan, cellsScript)
	run := start(b, "run", "97-pairs", "--experiments", "slots,blocks").finished(b, 0)
	for name, both := range map[string][]lesson.Comparison{"tps": run.Lesson.Comparisons[1:3],
		"p50": run.Lesson.Comparisons[3:]} {
		b.Run(name, func(b *testing.B) {
			slots, blocks := outcome.Compare(run, both[0]), outcome.Compare(run, both[1])
			// How far they may be apart, as a factor: their intervals, and as much again.
			room := slots.Hi / slots.Lo * blocks.Hi / blocks.Lo
			if !slots.Known() || !blocks.Known() || room > most {
				b.Skipf("the intervals are too wide: slots %+v, blocks %+v", slots.Interval, blocks.Interval)
			}
			figure(b, "ratio in slots, to that in blocks: "+name, slots.Center/blocks.Center, "", 1/room, room)
		})
	}
}
