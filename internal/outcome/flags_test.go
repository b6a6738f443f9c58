package outcome

import (
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// timed has six repeats of direct and of pgpool, whose medians and tails are that many times direct's.
func timed(ratio float64) *result.Run {
	run := &result.Run{}
	for path, ms := range map[string]float64{"direct": 10, "pgpool": 10 * ratio} {
		c := cell(run, path, 1, 100, 100, 100, 100, 100, 100)
		for i := range c.Repeats {
			v := ms * (1 + float64(i)/100)
			c.Repeats[i].RoundTrip = &result.RoundTrip{SetMS: 5, MeasuredMS: 6 + float64(i)/4}
			c.Repeats[i].Measured.Trends["pg_statement"] = result.Trend{Count: 600, Med: v, P99: 3 * v}
		}
	}
	return run
}

// flagged flags the second repeat of each of those paths.
func flagged(run *result.Run, kind result.FlagKind, paths ...string) {
	for i := range run.Cells {
		for _, path := range paths {
			if c := &run.Cells[i]; c.Path == path {
				c.Repeats[1].Flags = append(c.Repeats[1].Flags, result.Flag{Kind: kind})
			}
		}
	}
}

// A comparison of pgpool to direct: what is flagged, and where.
func TestCompareDespiteFlags(t *testing.T) {
	const of, to = " (pgpool, select, 1 client)", " (direct, select, 1 client)"
	tests := []struct {
		name, metric string
		ratio        float64
		flag         result.FlagKind
		paths        []string
		want         string
	}{
		{"a longer time on a full host", "p50", 2, result.FlagHost, []string{"pgpool"},
			"inconclusive: this machine's CPU was full" + of + ", which may be why"},
		{"longer than on a full host", "p50", 2, result.FlagHost, []string{"direct"},
			"higher, at least: this machine's CPU was full" + to},
		{"a shorter time on a full host", "p50", 0.5, result.FlagHost, []string{"pgpool"},
			"lower, at most: this machine's CPU was full" + of},
		{"shorter than on a full host", "p50", 0.5, result.FlagGenerator, []string{"direct"},
			"inconclusive: k6 took nearly all of the CPU" + to + ", which may be why"},
		{"both on a full host", "p50", 0.5, result.FlagHost, []string{"direct", "pgpool"},
			"inconclusive: this machine's CPU was full" + to + ", which may be why"},
		{"both on a full host, the other way round", "p50", 2, result.FlagHost, []string{"direct", "pgpool"},
			"inconclusive: this machine's CPU was full" + of + ", which may be why"},
		{"no difference on a full host", "p50", 1, result.FlagHost, []string{"pgpool"},
			"inconclusive: this machine's CPU was full" + of + ", which may hide a difference"},
		{"the tail on a full host", "p99", 0.5, result.FlagHost, []string{"pgpool"},
			"lower, at most: this machine's CPU was full" + of},

		{"a median under a CPU limit", "p50", 2, result.FlagThrottled, []string{"pgpool"},
			"higher: a CPU limit was hit" + of},
		{"a tail under a CPU limit", "p99", 2, result.FlagThrottled, []string{"pgpool"},
			"inconclusive: a CPU limit was hit" + of},
		{"work that began late", "p50", 2, result.FlagLate, []string{"direct"}, "inconclusive: work began late" + to},
		{"too few", "p50", 2, result.FlagFew, []string{"direct"}, "inconclusive: too few times" + to},
		{"another latency", "p50", 2, result.FlagLatency, []string{"pgpool"},
			"higher: a round trip of 7.25 ms where 5 ms were set" + of},
		{"both", "p50", 2, result.FlagStolen, []string{"direct", "pgpool"},
			"higher: other virtual machines took CPU (pgpool, select, 1 client; direct, select, 1 client)"},
		{"a flag of a later version", "p50", 2, "dim", []string{"pgpool"}, "inconclusive: dim" + of},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run := timed(test.ratio)
			flagged(run, test.flag, test.paths...)
			ask := lesson.Comparison{Metric: test.metric, Of: pick("path", "pgpool"), To: pick("path", "direct")}
			c := Compare(run, ask)
			if got := c.String(); got != test.want {
				t.Errorf("the outcome is\n%q, it should be\n%q", got, test.want)
			}
			if len(c.Reason.Flags) != len(test.paths) || !c.Ratio.Flagged {
				t.Errorf("it names the flags %v, and the ratio is flagged: %v", c.Reason.Flags, c.Ratio.Flagged)
			}
		})
	}
}

// Findings are judged as comparisons are, whatever a value is compared with.
func TestJudgeDespiteFlags(t *testing.T) {
	on := func(metric, is string, than float64) lesson.Condition {
		return lesson.Condition{Metric: metric, Of: pick("path", "pgpool"), Is: is, Than: &than}
	}
	less := func(is string, than float64) lesson.Condition {
		return lesson.Condition{Metric: "p50", Of: pick("path", "direct"), Minus: pick("path", "pgpool"), Is: is, Than: &than}
	}
	const full = "this machine's CPU was full (pgpool, select, 1 client)"
	tests := []struct {
		name string
		all  []lesson.Condition
		want string
	}{
		{"a longer time", []lesson.Condition{on("p50", "more", 15)}, "inconclusive: " + full + ", which may be why"},
		{"a shorter time", []lesson.Condition{on("p50", "less", 30)}, "reproduced: " + full},
		{"one not as short as expected", []lesson.Condition{on("p50", "less", 15)},
			"inconclusive: " + full + ", which may be why"},
		{"refuted, and more so without the flag", []lesson.Condition{on("p50", "more", 30)},
			"not reproduced: p50 of pgpool, select, 1 client is 20.5 ms (20.0 to 21.0), expected: more than 30.0 ms; " + full},
		{"the limit is within anyway", []lesson.Condition{on("p50", "less", 20.5)},
			"inconclusive: p50 of pgpool, select, 1 client is 20.5 ms (20.0 to 21.0), expected: less than 20.5 ms: that is " +
				"within its interval; " + full},
		{"a difference to it that is larger", []lesson.Condition{less("more", -12)}, "reproduced: " + full},
		{"a difference to it that is smaller", []lesson.Condition{less("less", -5)},
			"inconclusive: " + full + ", which may be why"},
		{"what the flag doesn't bear on", []lesson.Condition{on("errors", "less", 1)}, "reproduced"},
		{"the second of two conditions", []lesson.Condition{on("errors", "less", 1), on("p50", "less", 30)},
			"reproduced: " + full},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run := timed(2)
			flagged(run, result.FlagHost, "pgpool")
			if got := Judge(run, lesson.Finding{All: test.all}).String(); got != test.want {
				t.Errorf("the outcome is\n%q, it should be\n%q", got, test.want)
			}
		})
	}
}
