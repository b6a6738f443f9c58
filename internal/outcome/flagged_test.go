package outcome

import (
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// doubt flags the cell's repeat of a block, with how far that can have moved TPS.
func doubt(c *result.Cell, block int, kind result.FlagKind, bound result.Bound) {
	r := &c.Repeats[block-1]
	r.Flags = append(r.Flags, result.Flag{Kind: kind})
	r.Bounds = map[string]result.Bound{"tps": bound}
}

// nine are the figures of a ratio of 9.01 (7.73 to 9.48) to 1, and eighth those of one of 0.13 (0.12 to 0.16).
var (
	nine   = []float64{7.73, 8.9, 9.0, 9.02, 9.2, 9.48}
	eighth = []float64{0.12, 0.125, 0.13, 0.13, 0.14, 0.16}
	ones   = []float64{1, 1, 1, 1, 1, 1}
	slower = []float64{0.90, 0.91, 0.92, 0.92, 0.93, 0.95}
	equal  = []float64{0.9, 0.95, 1, 1, 1.05, 1.1}
)

// A flag is no reason to conclude nothing where it can't have changed what comes out.
func TestCompareDespiteFlags(t *testing.T) {
	all := func(kind result.FlagKind, bound result.Bound) func(c *result.Cell) {
		return func(c *result.Cell) {
			for block := range c.Repeats {
				doubt(c, block+1, kind, bound)
			}
		}
	}
	once := func(kind result.FlagKind, bound result.Bound) func(c *result.Cell) {
		return func(c *result.Cell) { doubt(c, 3, kind, bound) }
	}
	tests := []struct {
		name string
		tps  []float64
		flag func(*result.Cell)
		want string
	}{
		{"5 ms measured as 6.75 in each block", nine, all(result.FlagLatency, result.Bound{0.7407, 1}),
			"higher: flagged, too little to change the outcome (pgpool, select, 1 client: latency, at most 36 % too high)"},
		{"one stop", eighth, once(result.FlagThrottled, result.Bound{0.5, 1}),
			"lower: flagged, too little to change the outcome (pgpool, select, 1 client: throttled, at most 100 % too high)"},
		{"one that may be anything less", eighth, once(result.FlagThrottled, result.Bound{0, 1}),
			"lower: flagged, too little to change the outcome (pgpool, select, 1 client: throttled, perhaps far too high)"},
		{"a tenth of the CPU stolen, and a tenth slower", slower, all(result.FlagStolen, result.Bound{1, 1.12}),
			"inconclusive: flagged, enough to change the outcome (pgpool, select, 1 client: stolen, at most 11 % too low)"},
		{"the same in the other direction", slower, all(result.FlagStolen, result.Bound{0.89, 1}),
			"lower: flagged, too little to change the outcome (pgpool, select, 1 client: stolen, at most 13 % too high)"},
		{"both directions", slower, all(result.FlagWarmup, result.Bound{0.9, 1.02}), "lower: flagged, too little to " +
			"change the outcome (pgpool, select, 1 client: warm-up, at most 12 % too high or at most 2 % too low)"},
		{"no difference, and nothing makes one", equal, all(result.FlagStolen, result.Bound{1, 1.06}),
			"no clear difference: flagged, too little to change the outcome (pgpool, select, 1 client: stolen, " +
				"at most 6 % too low)"},
		{"no difference, that may be one", equal, all(result.FlagStolen, result.Bound{1, 1.2}),
			"inconclusive: flagged, enough to change the outcome (pgpool, select, 1 client: stolen, at most 17 % too low)"},
		{"too little for a star", slower, all(result.FlagThrottled, result.Bound{0.97, 1}), "lower"},
		{"too little for a star, and enough", []float64{0.99, 0.98, 0.97, 0.99, 0.99, 0.98},
			all(result.FlagThrottled, result.Bound{1, 1.04}), "inconclusive: flagged, enough to change the outcome " +
				"(pgpool, select, 1 client: throttled, at most 4 % too low)"},
		{"not moved", slower, all(result.FlagThrottled, result.Bound{1, 1}), "lower"},
		{"without a bound", nine, func(c *result.Cell) { c.Repeats[0].Flags = []result.Flag{{Kind: result.FlagHost}} },
			"inconclusive: flagged (pgpool, select, 1 client: host)"},
		{"five repeats", nine[:5], all(result.FlagLatency, result.Bound{0.7407, 1}), "no interval: 5 of 6 common repeats; " +
			"flagged (pgpool, select, 1 client: latency, at most 36 % too high)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run := &result.Run{}
			test.flag(cell(run, "pgpool", 1, hundredfold(test.tps)...))
			cell(run, "direct", 1, hundredfold(ones)...)
			ask := lesson.Comparison{Metric: "tps", Of: pick("path", "pgpool"), To: pick("path", "direct")}
			if got := Compare(run, ask).String(); got != test.want {
				t.Errorf("the outcome is\n%q, it should be\n%q", got, test.want)
			}
		})
	}
}

// hundredfold are the figures with transactions enough: 0.12 of them are none.
func hundredfold(figures []float64) (many []float64) {
	for _, v := range figures {
		many = append(many, 100*v)
	}
	return many
}

// What moves the denominator moves the ratio the other way, without limit where it may be 0.
func TestCompareToAFlaggedCell(t *testing.T) {
	for _, test := range []struct {
		tps   []float64
		bound result.Bound
		want  Outcome
	}{
		{slower, result.Bound{1, 1.2}, Lower},
		{slower, result.Bound{0.9, 1}, Inconclusive},
		{slower, result.Bound{0, 1}, Inconclusive},
		{nine, result.Bound{0, 1}, Higher},
	} {
		run := &result.Run{}
		cell(run, "pgpool", 1, test.tps...)
		base := cell(run, "direct", 1, ones...)
		for block := range base.Repeats {
			doubt(base, block+1, result.FlagLate, test.bound)
		}
		got := Compare(run, lesson.Comparison{Metric: "tps", Of: pick("path", "pgpool"), To: pick("path", "direct")})
		if got.Outcome != test.want {
			t.Errorf("to what is within %v: %s, it should be %s", test.bound, got, test.want)
		}
	}
}

// Findings are judged as comparisons are: by what would be without the flag.
func TestJudgeDespiteFlags(t *testing.T) {
	on := func(is string, than float64) lesson.Condition {
		return lesson.Condition{Metric: "tps", Of: pick("path", "pgpool"), Is: is, Than: &than}
	}
	less := func(than float64) lesson.Condition {
		return lesson.Condition{Metric: "tps", Of: pick("path", "pgpool"), Minus: pick("path", "direct"), Is: "less",
			Than: &than}
	}
	const flag = "(pgpool, select, 1 client: stolen, at most 17 % too low)"
	tests := []struct {
		name string
		tps  []float64
		all  []lesson.Condition
		want string
	}{
		{"far from the limit", nine, []lesson.Condition{on("more", 5)},
			"reproduced: flagged, too little to change the outcome " + flag},
		{"refuted either way", nine, []lesson.Condition{on("less", 5)},
			"not reproduced: tps of pgpool, select, 1 client is 9.01 /s (7.73 to 9.48), expected: less than 5.00 /s; " +
				"flagged, too little to change the outcome " + flag},
		{"it may be above the limit", nine, []lesson.Condition{on("less", 10)},
			"inconclusive: flagged, enough to change the outcome " + flag},
		{"the limit is within anyway", nine, []lesson.Condition{on("less", 9)},
			"inconclusive: tps of pgpool, select, 1 client is 9.01 /s (7.73 to 9.48), expected: less than 9.00 /s: that is " +
				"within its interval; flagged " + flag},
		{"a difference", nine, []lesson.Condition{less(11)},
			"reproduced: flagged, too little to change the outcome " + flag},
		{"a difference that may be larger", nine, []lesson.Condition{less(10)},
			"inconclusive: flagged, enough to change the outcome " + flag},
		{"once, far away", nine[:1], []lesson.Condition{on("less", 20)},
			"no interval: seen once, as expected; flagged, too little to change the outcome " + flag},
		{"once, near", nine[:1], []lesson.Condition{on("less", 10)},
			"inconclusive: flagged, enough to change the outcome " + flag},
		{"the second of two conditions", nine, []lesson.Condition{
			{Metric: "tps", Of: pick("path", "direct"), Is: "less", Than: number(2)}, on("more", 5)},
			"reproduced: flagged, too little to change the outcome " + flag},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run := &result.Run{}
			c := cell(run, "pgpool", 1, test.tps...)
			for block := range c.Repeats {
				doubt(c, block+1, result.FlagStolen, result.Bound{1, 1.2})
			}
			cell(run, "direct", 1, ones...)
			if got := Judge(run, lesson.Finding{All: test.all}).String(); got != test.want {
				t.Errorf("the outcome is\n%q, it should be\n%q", got, test.want)
			}
		})
	}
}
