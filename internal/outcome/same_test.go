package outcome

import (
	"math"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

func TestQuotient(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	q := quotient(Interval{Center: 2, Lo: 2 / math.Exp(0.03), Hi: 2 * math.Exp(0.04), N: 38},
		Interval{Center: 1.6, Lo: 1.6 / math.Exp(0.03), Hi: 1.6 * math.Exp(0.04), N: 20})
	if !near(q.Center, 1.25) || !near(q.Lo, 1.25/math.Exp(0.05)) || !near(q.Hi, 1.25*math.Exp(0.05)) || q.N != 20 {
		t.Errorf("the quotient is %+v", q)
	}
	exact := Interval{Center: 3, Lo: 3, Hi: 3, N: 6}
	if q := quotient(exact, exact); q.Lo != 1 || q.Hi != 1 {
		t.Errorf("that of what is exact is %+v", q)
	}
}

// Two ratios are the same where their quotient's interval lies within the margin.
func TestJudgeSame(t *testing.T) {
	ask := func(name, driver string) lesson.Comparison {
		return lesson.Comparison{Name: name, Metric: "tps", Of: pick("path", "pgpool", "driver", driver),
			To: pick("path", "direct", "driver", driver)}
	}
	const text, margin = "k6, divided by pgbench, is ", ", expected: 1 within 5 %"
	full := []result.Flag{{Kind: result.FlagHost, Text: "99 % of the host's CPU in use"}}
	few := []result.Flag{{Kind: result.FlagFew, Text: "7 iterations"}}
	for name, test := range map[string]struct {
		pgbench []float64     // of pgpool; direct has 10 all the time, and k6's pgpool 8
		flags   []result.Flag // of the last repeat of k6's pgpool
		want    string
	}{
		"the same": {[]float64{8, 8, 8, 8.1, 8.2, 8.2}, nil, "reproduced: " + text + "0.99 (0.98 to 1.00)" + margin},
		"another":  {[]float64{9, 9, 9, 9.1, 9.2, 9.2}, nil, "not reproduced: " + text + "0.88 (0.87 to 0.89)" + margin},
		"too wide to tell": {[]float64{7, 8, 8, 8, 8, 9}, nil,
			"inconclusive: " + text + "1.00 (0.89 to 1.14)" + margin + ": the interval is too wide to tell"},
		"too few": {[]float64{8, 8}, nil, "no interval: comparison pgbench: no interval: 2 of 6 common repeats"},
		"the same on a full host": {[]float64{8, 8, 8, 8, 8, 8}, full, "reproduced: " + text + "1.00 (1.00 to 1.00)" +
			margin + "; this machine's CPU was full (pgpool, select, 1 client)"},
		"another on a full host": {[]float64{9, 9, 9, 9, 9, 9}, full, "inconclusive: " + text + "0.89 (0.89 to 0.89)" +
			margin + "; this machine's CPU was full (pgpool, select, 1 client)"},
		"with a veto": {[]float64{8, 8, 8, 8, 8, 8}, few, "inconclusive: comparison k6: inconclusive: too few " +
			"times (pgpool, select, 1 client)"},
	} {
		run := &result.Run{}
		run.Lesson.Comparisons = []lesson.Comparison{ask("k6", "k6"), ask("pgbench", "pgbench")}
		cell(run, "pgpool", 1, 8, 8, 8, 8, 8, 8).Repeats[5].Flags = test.flags
		cell(run, "direct", 1, 10, 10, 10, 10, 10, 10)
		cell(run, "pgpool", 1, test.pgbench...).Driver = lesson.Pgbench
		cell(run, "direct", 1, 10, 10, 10, 10, 10, 10).Driver = lesson.Pgbench
		same := lesson.Condition{Is: lesson.Same, Comparisons: []string{"k6", "pgbench"}, Within: 0.05}
		if got := Judge(run, lesson.Finding{All: []lesson.Condition{same}}).String(); got != test.want {
			t.Errorf("%s: the outcome is\n%q, it should be\n%q", name, got, test.want)
		}
	}
}
