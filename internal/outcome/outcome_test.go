package outcome

import (
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// TestARunOnDisk judges one from its run.json alone.
func TestARunOnDisk(t *testing.T) {
	dir := filepath.Join("testdata", "reproduced")
	if *update {
		if err := balance().Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	run, err := result.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := All(run)
	if all.Comparisons[0].String() != "higher" || all.Findings[0].String() != "reproduced" || all.Overall() != Reproduced {
		t.Errorf("the comparison is %s, the finding %s, the run %s", all.Comparisons[0], all.Findings[0], all.Overall())
	}
}

func TestCompare(t *testing.T) {
	tps := func(of, to lesson.Selector) lesson.Comparison {
		return lesson.Comparison{Metric: "tps", Of: of, To: to}
	}
	pgpool, direct := pick("path", "pgpool"), pick("path", "direct")
	tests := []struct {
		name string
		make func(*result.Run)
		ask  lesson.Comparison
		want string
	}{
		{"the interval is below 1", func(r *result.Run) {
			cell(r, "pgpool", 1, 8, 8, 8, 9, 9, 9)
			cell(r, "direct", 1, 10, 10, 10, 10, 10, 10)
		}, tps(pgpool, direct), "lower"},
		{"it includes 1", func(r *result.Run) {
			cell(r, "pgpool", 1, 8, 8, 8, 8, 8, 11)
			cell(r, "direct", 1, 10, 10, 10, 10, 10, 10)
		}, tps(pgpool, direct), "no clear difference"},
		{"drift that hits both alike", func(r *result.Run) {
			cell(r, "pgpool", 1, 11, 22, 33, 44, 55, 66)
			cell(r, "direct", 1, 10, 20, 30, 40, 50, 60)
		}, tps(pgpool, direct), "higher"},
		{"a rejected repeat counts for nothing", func(r *result.Run) {
			cell(r, "pgpool", 1, 8, 8, 8, 8, 8, 8, 80).Repeats[6].Status = result.Rejected
			cell(r, "direct", 1, 10, 10, 10, 10, 10, 10, 10)
		}, tps(pgpool, direct), "lower"},
		{"five common repeats", func(r *result.Run) {
			cell(r, "pgpool", 1, 8, 8, 8, 8, 8, 8)
			cell(r, "direct", 1, 10, 10, 10, 10, 10)
		}, tps(pgpool, direct), "no interval: 5 of 6 common repeats"},
		{"a path that is off", func(r *result.Run) { cell(r, "direct", 1, 10) }, tps(pick("path", "yugabyte"), direct),
			"inconclusive: yugabyte is not available: off"},
		{"an experiment that was left out", func(r *result.Run) { cell(r, "direct", 1, 10) },
			tps(pick("experiment", "heavy", "path", "direct"), direct),
			"not in this run: the experiment heavy was left out; --experiments heavy runs it"},
		{"an experiment that was left out, on a path that is off", func(r *result.Run) {
			cell(r, "direct", 1, 10)
			r.Lesson.LeftOut = []string{"heavy"}
		}, tps(pick("experiment", "heavy", "path", "yugabyte"), direct),
			"not in this run: the experiment heavy was left out; --experiments heavy runs it"},
		{"a cell that was left out", func(r *result.Run) { cell(r, "direct", 1, 10) },
			tps(pick("experiment", "balance", "clients", 500), direct),
			"not in this run: this run has no cell with experiment balance, 500 clients"},
		{"two cells", func(r *result.Run) { cell(r, "direct", 1, 10); cell(r, "direct", 2, 10) }, tps(direct, direct),
			"inconclusive: direct picks 2 cells of this run, it must pick one"},
		{"a cell that never ran", func(r *result.Run) { cell(r, "direct", 1) }, tps(direct, direct),
			"inconclusive: direct, select, 1 client didn't run"},
		{"two cells that differ in their protocol alone", func(r *result.Run) {
			cell(r, "direct", 1).Protocol = "prepared"
			cell(r, "direct", 1, 10)
		}, tps(pick("protocol", "prepared"), pick("protocol", "simple")),
			"inconclusive: direct, select, 1 client, prepared protocol didn't run"},
		{"a failed block", func(r *result.Run) {
			cell(r, "direct", 1, 1, 2, 3, 4, 5, 6).Add(result.Repeat{Block: 7, Status: result.Failed, Reason: "no answer"})
		}, tps(direct, direct), "inconclusive: direct, select, 1 client failed in 1 of 7 blocks: no answer"},
		{"a metric nobody measured", func(r *result.Run) { cell(r, "direct", 1, 1, 2, 3, 4, 5, 6) },
			lesson.Comparison{Metric: "starved", Of: direct, To: direct},
			"inconclusive: direct, select, 1 client has no starved"},
		{"a ratio to nothing", func(r *result.Run) { cell(r, "direct", 1, 1, 2, 3, 4, 5, 6) },
			lesson.Comparison{Metric: "errors", Of: direct, To: direct},
			"inconclusive: errors of direct, select, 1 client is 0, so there is no ratio to it"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run := &result.Run{Paths: []result.Path{{Name: "direct"}, {Name: "yugabyte", Unavailable: "off"}}}
			test.make(run)
			if got := Compare(run, test.ask).String(); got != test.want {
				t.Errorf("the outcome is %q, it should be %q", got, test.want)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	on := func(is string, than float64) lesson.Condition {
		return lesson.Condition{Metric: "tps", Of: pick("path", "direct"), Is: is, Than: &than}
	}
	errors := func(is string, than float64) lesson.Condition {
		return lesson.Condition{Metric: "errors", Of: pick("path", "direct"), Is: is, Than: &than}
	}
	six := []float64{96, 97, 98, 99, 100, 101}
	tests := []struct {
		name string
		tps  []float64
		all  []lesson.Condition
		want string
	}{
		{"the interval is above", six, []lesson.Condition{on("more", 90)}, "reproduced"},
		{"the interval is below", six, []lesson.Condition{on("more", 110)},
			"not reproduced: tps of direct, select, 1 client is 98.5 /s (96.0 to 101), expected: more than 110 /s"},
		{"the limit is within", six, []lesson.Condition{on("less", 100)},
			"inconclusive: tps of direct, select, 1 client is 98.5 /s (96.0 to 101), expected: less than 100 /s: that is " +
				"within its interval"},
		{"once, far away", []float64{98}, []lesson.Condition{on("less", 120)}, "no interval: seen once, as expected"},
		{"once, far on the wrong side", []float64{98}, []lesson.Condition{on("more", 120)},
			"no interval: seen once, not as expected: tps of direct, select, 1 client is 98.0 /s, expected: more than 120 /s"},
		{"once, too near", []float64{98}, []lesson.Condition{on("less", 105)},
			"inconclusive: tps of direct, select, 1 client is 98.0 /s, expected: less than 105 /s: seen once, and that is " +
				"less than 10 % away"},
		{"three times, far away", []float64{97, 98, 99}, []lesson.Condition{on("less", 120)},
			"no interval: seen 3 times, as expected"},
		{"a count needs no margin", []float64{98}, []lesson.Condition{errors("less", 1)},
			"no interval: seen once, as expected"},
		{"and isn't more than itself", []float64{98}, []lesson.Condition{errors("more", 0)},
			"no interval: seen once, not as expected: errors of direct, select, 1 client is 0, expected: more than 0"},
		{"no conditions", six, nil, "inconclusive: the finding has no conditions"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run := &result.Run{}
			cell(run, "direct", 1, test.tps...)
			if got := Judge(run, lesson.Finding{All: test.all}).String(); got != test.want {
				t.Errorf("the outcome is\n%q, it should be\n%q", got, test.want)
			}
		})
	}
}

// One condition that the run left out says nothing of the others, and one that is refuted settles the finding.
func TestConditionsOutweighEachOther(t *testing.T) {
	on := func(path, is string, than float64) lesson.Condition {
		return lesson.Condition{Metric: "tps", Of: pick("path", path), Is: is, Than: &than}
	}
	holds, fails, near := on("direct", "more", 50), on("direct", "more", 200), on("direct", "more", 98)
	once, against := on("pgpool", "more", 50), on("pgpool", "more", 200)
	absent := on("socket", "more", 50)
	tests := []struct {
		name string
		all  []lesson.Condition
		want Outcome
	}{
		{"all hold", []lesson.Condition{holds, holds}, Reproduced},
		{"one was seen once", []lesson.Condition{holds, once}, NoInterval},
		{"one was seen once, not as expected, and one is refuted", []lesson.Condition{against, fails}, NotReproduced},
		{"one is left out", []lesson.Condition{holds, absent, once}, NotInThisRun},
		{"one is left out, one refuted", []lesson.Condition{absent, fails}, NotReproduced},
		{"one is inconclusive, one refuted", []lesson.Condition{near, fails}, NotReproduced},
		{"one is inconclusive, one seen once", []lesson.Condition{once, near}, Inconclusive},
	}
	run := &result.Run{}
	cell(run, "direct", 1, 96, 97, 98, 99, 100, 101)
	cell(run, "pgpool", 1, 98)
	for _, test := range tests {
		if got := Judge(run, lesson.Finding{All: test.all}); got.Outcome != test.want {
			t.Errorf("%s: the outcome is %s, it should be %s", test.name, got, test.want)
		}
	}
	disagrees := Judge(run, lesson.Finding{All: []lesson.Condition{once, against}})
	if text := disagrees.Reason.String(); !strings.HasPrefix(text, "seen once, not as expected: ") {
		t.Errorf("of two conditions that were seen once, the one that disagrees isn't the reason: %s", text)
	}
}

// What a run left out is no flaw of it, unless it left out everything.
func TestOverall(t *testing.T) {
	of := func(comparison, finding Outcome) Outcome {
		return Outcomes{Comparisons: []Compared{{measurement: measurement{Judged: Judged{Outcome: comparison}}}},
			Findings: []Found{{Judged: Judged{Outcome: finding}}}}.Overall()
	}
	tests := []struct{ comparison, finding, want Outcome }{
		{Lower, Reproduced, Reproduced},
		{NoClearDifference, NotInThisRun, Reproduced},
		{NotInThisRun, NotInThisRun, NotInThisRun},
		{NoInterval, Reproduced, Inconclusive},
		{Higher, NoInterval, Inconclusive},
		{Inconclusive, NotReproduced, NotReproduced},
	}
	for _, test := range tests {
		if got := of(test.comparison, test.finding); got != test.want {
			t.Errorf("%s and %s are %s, they should be %s", test.comparison, test.finding, got, test.want)
		}
	}
}

func TestADifferenceIsJudgedWithinEachBlock(t *testing.T) {
	run := &result.Run{}
	cell(run, "far", 1, 120, 121, 119, 123, 122, 118)
	cell(run, "near", 1, 100, 99, 98, 101, 100, 100)
	for than, want := range map[float64]string{
		40: "reproduced",
		10: "not reproduced: tps of far, select, 1 client less that of near, select, 1 client is 21.5 /s (18.0 to 22.0), " +
			"expected: less than 10.0 /s",
	} {
		c := lesson.Condition{Metric: "tps", Of: pick("path", "far"), Minus: pick("path", "near"), Is: "less", Than: &than}
		if got := Judge(run, lesson.Finding{All: []lesson.Condition{c}}).String(); got != want {
			t.Errorf("the outcome is\n%q, it should be\n%q", got, want)
		}
	}
}

func TestFindingsAreTheStudysAndTheLabsOwn(t *testing.T) {
	run := balance()
	run.Lesson.Findings = run.Lesson.Study.Findings
	all := All(run).Findings
	if len(all) != 2 || all[0].Own || !all[1].Own || all[0].Outcome != all[1].Outcome {
		t.Errorf("the findings are %+v", all)
	}
}

func TestSee(t *testing.T) {
	run := balance()
	run.Cells[0].Repeats[0].Flags = []result.Flag{{Kind: result.FlagFew}}
	for _, test := range []struct {
		name string
		ask  lesson.StudyFigure
		want string
	}{
		{"seen", lesson.StudyFigure{Metric: "tps", Of: pick("path", "direct", "clients", 45)}, "4625 /s"},
		{"flagged", lesson.StudyFigure{Metric: "tps", Of: pick("path", "direct", "clients", 5)}, "5075 /s*"},
		{"not measured", lesson.StudyFigure{}, "not measured here"},
		{"left out", lesson.StudyFigure{Metric: "tps", Of: pick("clients", 500)}, "not in this run"},
		{"not available", lesson.StudyFigure{Metric: "tps", Of: pick("path", "yugabyte")},
			"yugabyte is not available: its image cannot be had"},
		{"no such metric there", lesson.StudyFigure{Metric: "starved", Of: pick("path", "direct", "clients", 5)},
			"direct, select, 5 clients has no starved"},
	} {
		if got := See(run, test.ask).String(); got != test.want {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

func TestCheck(t *testing.T) {
	whole := func(change func(*lesson.Lesson)) *lesson.Lesson {
		made := balance().Lesson
		l := &lesson.Lesson{About: lesson.About{Comparisons: made.Comparisons,
			Study:  made.Study,
			Charts: []lesson.Chart{{Title: "t", Kind: "stack", Parts: []string{"waits", "connect"}, X: "path"}}},
			Experiments: []lesson.Experiment{{Name: "balance"}}}
		change(l)
		return l
	}
	if err := Check(whole(func(*lesson.Lesson) {})); err != nil {
		t.Error(err)
	}
	tests := []struct {
		name   string
		change func(*lesson.Lesson)
		want   string
	}{
		{"an experiment's metric", func(l *lesson.Lesson) { l.Experiments[0].Metrics = []string{"lock"} },
			`experiment balance: unknown metric "lock": did you mean`},
		{"a comparison's metric", func(l *lesson.Lesson) { l.Comparisons[0].Metric = "TPS!" },
			"comparison flip: unknown metric"},
		{"a condition's metric", func(l *lesson.Lesson) { l.Study.Findings[0].All[0].Metric = "TPS!" },
			"finding flips: unknown metric"},
		{"a comparison that there isn't", func(l *lesson.Lesson) {
			l.Findings = []lesson.Finding{{Name: "own", All: []lesson.Condition{{Is: lesson.Same,
				Comparisons: []string{"flip", "flop"}}}}}
		}, `finding own: unknown comparison "flop": did you mean flip?`},
		{"a comparison of a lesson that makes none", func(l *lesson.Lesson) {
			l.Comparisons, l.Findings = nil, []lesson.Finding{{Name: "own", All: []lesson.Condition{{Is: lesson.Same,
				Comparisons: []string{"flip", "flop"}}}}}
		}, `finding own: unknown comparison "flip": there is none`},
		{"a study's figure", func(l *lesson.Lesson) { l.Study.Figures[0].Metric = "TPS!" },
			"the study's figure direct, 45 clients: unknown metric"},
		{"a chart's metric", func(l *lesson.Lesson) { l.Charts[0].Kind, l.Charts[0].Metric = "bars", "TPS!" },
			"chart t: unknown metric"},
		{"a stack's part", func(l *lesson.Lesson) { l.Charts[0].Parts = []string{"waiting", "wait"} },
			`unknown metric "wait"`},
	}
	for _, test := range tests {
		if err := Check(whole(test.change)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is %v, it should say %q", test.name, err, test.want)
		}
	}
}

func TestCheckCells(t *testing.T) {
	run := balance()
	l := &lesson.Lesson{About: lesson.About{Comparisons: run.Lesson.Comparisons, Study: run.Lesson.Study}}
	var cells []lesson.Cell
	for _, c := range run.Cells {
		cells = append(cells, c.Cell)
	}
	if err := CheckCells(l, cells); err != nil {
		t.Error(err)
	}
	const pickOne = "cells of the lesson, it must pick one"
	for want, some := range map[string][]lesson.Cell{
		"comparison flip: direct, 45 clients picks 0 " + pickOne:                                     cells[3:],
		"comparison flip: pgpool, 45 clients picks 2 " + pickOne + ": add a key, such as experiment": append(cells, cells[3]),
		"finding flips: pgpool, 5 clients picks 0 " + pickOne:                                        cells[2:],
	} {
		if err := CheckCells(l, some); err == nil || err.Error() != want {
			t.Errorf("the error is %v, it should be %q", err, want)
		}
	}
	// A figure of the full size alone is no error while the default size runs.
	l.Study.Figures = append(l.Study.Figures, lesson.StudyFigure{Metric: "tps", Of: pick("experiment", "four-thousand")})
	if err := CheckCells(l, cells); err == nil {
		t.Error("a figure of an experiment that there isn't is no error")
	}
	l.LeftOut = []string{"four-thousand"}
	if err := CheckCells(l, cells); err != nil {
		t.Error(err)
	}
}

// What an experiment that was left out would say stands in one sentence.
func TestLeftOut(t *testing.T) {
	run := balance()
	heavy := run.Lesson.Comparisons[0]
	heavy.Of = pick("experiment", "heavy", "path", "pgpool")
	run.Lesson.Comparisons = append(run.Lesson.Comparisons, heavy)
	run.Lesson.Findings = []lesson.Finding{
		{Name: "heavy", All: []lesson.Condition{{Metric: "tps", Of: heavy.Of, Is: "more", Than: number(1)}}},
		{Name: "long", All: []lesson.Condition{{Metric: "tps", Of: pick("experiment", "long"), Is: "more", Than: number(1)}}},
	}
	want := "Not in this run: 1 comparison and 2 findings of experiments that it left out. To measure them: " +
		"--experiments heavy,long"
	if got := All(run).LeftOutText(); got != want {
		t.Errorf("it says %q, it should say %q", got, want)
	}
	run.Lesson.OnlyInFull = []string{"long"}
	want = "Not in this run: 1 comparison and 2 findings of experiments that it left out. To measure them: " +
		"--experiments heavy or --full --experiments long"
	if got := All(run).LeftOutText(); got != want {
		t.Errorf("with one of the full size it says %q, it should say %q", got, want)
	}
	if got := All(balance()).LeftOutText(); got != "" {
		t.Errorf("a whole run says %q", got)
	}
}
