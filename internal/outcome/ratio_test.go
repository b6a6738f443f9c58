package outcome

import (
	"math"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// paired is a run in which direct and pgpool ran side by side, at 0.8 of direct's throughput, and once in a block.
func paired(groups int) *result.Run {
	run := &result.Run{}
	cell(run, "direct", 1, 1000, 1005).Paired = 1
	cell(run, "pgpool", 1, 800, 1600).Paired = 1 // its block alone would say something else
	figures := make([][2]float64, groups)
	for i := range figures {
		noise := 1 + 0.05*math.Sin(float64(5*i))
		figures[i] = [2]float64{800 * noise, 1000}
	}
	run.Pairs = []result.Pair{{Block: 1, Of: "pgpool", To: "direct", Metrics: []string{"tps"}, Status: result.OK,
		SlotMS: 230, Groups: groups, Figures: map[string][][2]float64{"tps": figures}}}
	return run
}

var ofPgpool = lesson.Comparison{Metric: "tps", Of: pick("path", "pgpool"), To: pick("path", "direct")}

func TestComparePaired(t *testing.T) {
	flag := func(block int, kind result.FlagKind) func(*result.Run) {
		return func(r *result.Run) {
			repeat := &r.Cells[1].Repeats[block-1]
			repeat.Flags = append(repeat.Flags, result.Flag{Kind: kind})
		}
	}
	failed := func(block int) func(*result.Run) {
		return func(r *result.Run) {
			r.Cells[0].Repeats[block-1].Status, r.Cells[0].Reason = result.Failed, "no answer"
		}
	}
	tests := []struct {
		name   string
		groups int
		change func(*result.Run)
		want   string
	}{
		{"of its groups", 25, nil, "lower"},
		{"too few groups", 8, nil, "no interval: 8 of 12 groups"},
		{"interrupted", 25, func(r *result.Run) {
			r.Pairs[0].Status = result.Interrupted
			for i := range r.Cells {
				r.Cells[i].Repeats[0].Status = result.Interrupted
			}
		}, "lower"},
		{"interrupted, and k6 was killed", 25, func(r *result.Run) {
			r.Pairs[0].Status = result.Interrupted
			for i := range r.Cells {
				r.Cells[i].Repeats[0].Status, r.Cells[i].Repeats[0].Measured = result.Interrupted, nil
			}
		}, "inconclusive: the run was stopped, and k6 didn't end in time to look at what else happened to the pair"},
		{"a block that failed", 25, failed(2), "lower"},
		{"a flag in a block", 25, flag(2, result.FlagHost), "lower"},
		{"a full host on the slower side", 25, flag(1, result.FlagHost),
			"inconclusive: this machine's CPU was full (pgpool, select, 1 client), which may be why"},
		{"a full host on the faster side", 25, func(r *result.Run) {
			r.Cells[0].Repeats[0].Flags = []result.Flag{{Kind: result.FlagHost}}
		}, "lower, at most: this machine's CPU was full (direct, select, 1 client)"},
		{"a flag that vetoes", 25, flag(1, result.FlagUncounted),
			"inconclusive: the servers' counts are unknown (pgpool, select, 1 client)"},
		{"a flag that doesn't", 25, flag(1, result.FlagErrors), "lower: statements failed (pgpool, select, 1 client)"},
		{"too few groups, and a flag", 8, flag(1, result.FlagHost),
			"no interval: 8 of 12 groups; this machine's CPU was full (pgpool, select, 1 client)"},
		{"stolen time", 25, flag(1, result.FlagStolen), "lower"},
		{"a pair that failed", 25, func(r *result.Run) {
			r.Pairs[0].Status = result.Failed
			r.Cells[0].Repeats[0].Status = result.Failed
		}, "no interval: 1 of 6 common repeats"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run := paired(test.groups)
			if test.change != nil {
				test.change(run)
			}
			if got := Compare(run, ofPgpool).String(); got != test.want {
				t.Errorf("the outcome is %q, it should be %q", got, test.want)
			}
		})
	}
}

// TestInvertedPair: a comparison the other way round has the inverse of the same interval.
func TestInvertedPair(t *testing.T) {
	run := paired(25)
	there := Compare(run, ofPgpool)
	back := Compare(run, lesson.Comparison{Metric: "tps", Of: ofPgpool.To, To: ofPgpool.Of})
	if back.Outcome != Higher || math.Abs(back.Ratio.Lo*there.Ratio.Hi-1) > 1e-9 {
		t.Errorf("it is %s, %+v, and not the inverse of %+v", back, back.Ratio, there.Ratio)
	}
	if f := run.Pairs[0].Figures["tps"][0]; f[1] != 1000 {
		t.Errorf("the run's own figures are %v now", f)
	}
}

func TestJudgePaired(t *testing.T) {
	judged := func(run *result.Run, is string, than float64) string {
		return Judge(run, lesson.Finding{All: []lesson.Condition{
			{Metric: "tps", Of: ofPgpool.Of, To: ofPgpool.To, Is: is, Than: &than}}}).String()
	}
	for _, test := range []struct {
		groups int
		is     string
		than   float64
		want   string
	}{
		{25, "less", 0.9, "reproduced"},
		{25, "more", 0.9, "not reproduced: tps of pgpool, select, 1 client to direct, select, 1 client is 0.80 ("},
		{25, "less", 0.8, "inconclusive: "},
		{8, "less", 0.9, "no interval: seen in 8 groups, as expected"},
		{8, "less", 0.82, "inconclusive: tps of pgpool, select, 1 client to direct, select, 1 client is 0.79, " +
			"expected: less than 0.82: seen in 8 groups, and that is less than 10 % away"},
	} {
		if got := judged(paired(test.groups), test.is, test.than); !strings.HasPrefix(got, test.want) {
			t.Errorf("%d groups, %s than %v: it is %q, it should be %q", test.groups, test.is, test.than, got, test.want)
		}
	}
}

func TestHowARatioWasMeasured(t *testing.T) {
	tps, err := metric.Find("tps")
	if err != nil {
		t.Fatal(err)
	}
	unpaired := []result.Unpaired{{Of: "direct", To: "pgpool", Metric: "tps", Reason: "an open loop"}}
	for _, test := range []struct {
		name   string
		change func(*result.Run)
		want   string
	}{
		{"a pair", func(*result.Run) {}, "side by side, 38 groups of 4 x 230 ms"},
		{"a group without a ratio", func(r *result.Run) { r.Pairs[0].Figures["tps"][3][1] = 0 },
			"side by side, 37 groups of 4 x 230 ms, 1 without a ratio"},
		{"a pair that came to nothing", func(r *result.Run) {
			r.Pairs[0].Status, r.Pairs[0].Reason = result.Blocked, "an iteration of pgpool takes 60 ms"
		}, "2 blocks, not side by side: an iteration of pgpool takes 60 ms"},
		{"cells that can't be paired", func(r *result.Run) { r.Pairs, r.Unpaired = nil, unpaired },
			"2 blocks, not side by side: an open loop"},
		{"a run without pairs", func(r *result.Run) { r.Pairs = nil }, ""},
	} {
		run := paired(38)
		test.change(run)
		if got := RatioOf(run, tps, &run.Cells[1], &run.Cells[0]).How; got != test.want {
			t.Errorf("%s: it is %q, it should be %q", test.name, got, test.want)
		}
	}
}
