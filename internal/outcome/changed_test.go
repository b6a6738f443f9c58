package outcome

import (
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// sized is a run of two experiments, small and large, whose pools have the sizes given, and the command line may have
// made them so.
func sized(small, large int, changed map[string]map[string][]string) *result.Run {
	run := &result.Run{}
	for name, size := range map[string]int{"small": small, "large": large} {
		c := cell(run, "direct", 20, 100, 101, 102, 100, 101, 103)
		c.ID, c.Experiment, c.Instances, c.InstancePool = name, name, 4, size
		run.Lesson.Experiments = append(run.Lesson.Experiments, result.Experiment{Name: name, Changed: changed[name]})
	}
	return run
}

// What is said of a comparison is what was compared, whatever the command line made of its cells.
func TestWhatIsSaidIsOfTheCells(t *testing.T) {
	plan := lesson.Comparison{Name: "too large", Text: "TPS with pools of 20, to pools of 2", Metric: "tps",
		Of: pick("experiment", "large"), To: pick("experiment", "small")}
	const own = "it is of the lesson's own cells, and options have changed these: "
	of := func(key string, was ...string) map[string][]string { return map[string][]string{key: was} }
	for name, test := range map[string]struct {
		small, large int
		changed      map[string]map[string][]string
		says, came   string
		finding      string
	}{
		"as the lesson has it": {2, 20, nil, plan.Text, "no clear difference",
			"not reproduced: tps of direct, select, 20 clients, 4 app instances, pool of 20 each to direct"},
		"other pools": {5, 10, map[string]map[string][]string{"small": of("instance_pool", "2"), "large": of("instance_pool",
			"20")}, "TPS: pool of 10 each, to pool of 5 each (direct, select, 20 clients, 4 app instances)",
			"no clear difference", "not in this run: " + own + "pool each"},
		"one pool": {5, 5, map[string]map[string][]string{"small": of("instance_pool", "2"), "large": of("instance_pool",
			"20")}, "TPS: direct, select, 20 clients, 4 app instances, pool of 5 each, to the same",
			"not in this run: both are one cell: direct, select, 20 clients, 4 app instances, pool of 5 each",
			"not in this run: " + own + "pool each"},
		"equal on purpose": {2, 2, map[string]map[string][]string{"small": of("clients", "200"), "large": of("clients",
			"200")}, "TPS: direct, select, 20 clients, 4 app instances, pool of 2 each, to the same", "no clear difference",
			"not in this run: " + own + "clients"},
	} {
		t.Run(name, func(t *testing.T) {
			run := sized(test.small, test.large, test.changed)
			c := Compare(run, plan)
			if c.Says != test.says || c.String() != test.came {
				t.Errorf("%q comes to %q", c.Says, c)
			}
			if strings.HasPrefix(test.came, "not") && c.Ratio.N > 0 {
				t.Errorf("one cell has the ratio %+v to itself", c.Ratio)
			}
			f := Judge(run, lesson.Finding{All: []lesson.Condition{{Metric: "tps", Of: plan.Of, To: plan.To, Is: "less"}}})
			if !strings.HasPrefix(f.String(), test.finding) {
				t.Errorf("the finding is %q", f)
			}
		})
	}
}

// What a selector names is as the lesson has it.
func TestWhatASelectorNamesIsNoChange(t *testing.T) {
	run := balance()
	run.Lesson.Experiments = []result.Experiment{{Name: "balance",
		Changed: map[string][]string{"clients": {"5", "35", "45"}, "path": {"*"}}}}
	if c := Compare(run, run.Lesson.Comparisons[0]); c.Says != run.Lesson.Comparisons[0].Text {
		t.Errorf("it is called %q", c.Says)
	}
	if f := Judge(run, run.Lesson.Study.Findings[0]); f.Outcome != Reproduced {
		t.Errorf("the finding is %v", f)
	}
}

// An outcome that errors veto names them, and says nothing of what else was flagged.
func TestTheReasonIsTheReason(t *testing.T) {
	run := timed(2)
	for i := range run.Cells {
		c := &run.Cells[i]
		if c.Path != "pgpool" {
			continue
		}
		r := &c.Repeats[2]
		r.Flags = []result.Flag{{Kind: result.FlagHost}, {Kind: result.FlagWarmup}, {Kind: result.FlagErrors}}
		r.Measured.Errors = []result.Error{
			{Code: "XX000", Phase: "warmup", Count: 4, Message: "statement: ERROR: tuple concurrently updated (SQLSTATE XX000)"},
			{Code: "57P01", Phase: "warmup", Count: 1, Message: "terminating"}, {Code: "42P05", Phase: "measure", Count: 99}}
	}
	c := Compare(run, lesson.Comparison{Metric: "p50", Of: pick("path", "pgpool"), To: pick("path", "direct")})
	want := "inconclusive: not all clients could start: 4 x XX000 (tuple concurrently updated), 1 more " +
		"(pgpool, select, 1 client)"
	if c.String() != want || len(c.Reason.Vetoes) != 1 || c.Reason.Vetoes[0] != result.FlagWarmup {
		t.Errorf("the outcome is %q for %v", c, c.Reason.Vetoes)
	}
}
