package test

import (
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/internal/result"
)

// scenariosPlan has scenarios of which each outcome is known.
const scenariosPlan = `title: Scenarios
question: Does a scenario come to what it shows?
explanation: It has to.
minutes: 1
experiments:
  - name: known
    paths: [pgbouncer-session, pgbouncer-transaction, pgbouncer-statement]
    latencies: [none]
    pool_sizes: [2]
    scenarios:
      - name: left behind
        steps:
          - A: SET work_mem = '9MB'
          - A: SELECT current_setting('work_mem'), :backend
            sees: 9MB
          - A: \disconnect
          - B: SELECT current_setting('work_mem'), :backend
            sees: 4MB
      - name: clean again
        steps:
          - A: SELECT current_setting('work_mem'), :backend
            sees: 4MB
      - name: inverted
        steps:
          - A: SELECT current_setting('work_mem'), :backend
            sees: 9MB
      - name: other server
        steps:
          - A: SET work_mem = '9MB'
          - A: SELECT current_setting('work_mem'), :backend
            sees: 9MB
          - A: BEGIN
          - B: SELECT current_setting('work_mem'), :backend
            sees: 4MB
      - name: wanted error
        steps:
          - A: SELECT 1 / 0
            sees: error 22012
      - name: error
        steps:
          - A: SELECT 1 / 0
          - A: SELECT 1
        documented: [{source: a page, works: [pgbouncer-session]}]
  - name: wrong
    paths: [direct]
    latencies: [none]
    scenarios:
      - name: inverted
        steps:
          - A: SELECT current_setting('work_mem'), :backend
            sees: 9MB
`

// Each scenario comes to what is known of it, and leaves nothing to the next one. With a second server connection in a
// pool, it isn't shown whether B would have seen what A made. A wrong expectation is no success, and without a pooler
// it is the plan's fault.
func TestScenariosComeToWhatTheyShow(t *testing.T) {
	saveLesson(t, filepath.Join(root, "k6", "lessons", "97-scenarios.yaml"), scenariosPlan)
	run := start(t, "run", "97-scenarios").finished(t, 0)
	want := map[string]string{
		"pgbouncer-session":     "works, works, lost, works, works, fails",
		"pgbouncer-transaction": "leaks, works, lost, not shown, works, fails",
		"pgbouncer-statement":   "leaks, works, lost, fails, works, fails",
	}
	for _, c := range run.Cells {
		if c.Path == "direct" {
			if c.Status != result.Failed || !strings.Contains(c.Reason, `the answer is "4MB", the plan has "9MB"`) {
				t.Errorf("a plan that PostgreSQL itself contradicts is %s: %s", c.Status, c.Reason)
			}
			continue
		}
		last := c.Last()
		if last == nil {
			t.Fatalf("%s is %s: %s", c.ID, c.Status, c.Reason)
		}
		var outcomes []string
		for _, s := range last.Scenarios {
			outcomes = append(outcomes, string(s.Outcome))
		}
		if got := strings.Join(outcomes, ", "); got != want[c.Path] {
			t.Errorf("%s: %s, wanted %s\n%+v", c.Path, got, want[c.Path], last.Scenarios)
			continue
		}
		failed := last.Scenarios[len(last.Scenarios)-1]
		if len(failed.Steps) != 1 || failed.Disagrees() != (c.Path == "pgbouncer-session") {
			t.Errorf("%s: after an error it went on, or documentation isn't held against it: %+v", c.Path, failed)
		}
		behind := last.Scenarios[0].Steps
		if behind[1].Backend != behind[3].Backend {
			t.Errorf("%s: A was on %s and B on %s", c.Path, behind[1].Backend, behind[3].Backend)
		}
	}
	checkRestored(t)
}

// PostgreSQL itself gives each answer that 12-state wants. So do session pools, as far as the lesson's page says.
func TestState(t *testing.T) {
	run := start(t, "run", "12-state").finished(t, 0)
	const scenarios = 35
	lost := map[string]bool{} // what session pools may lose
	for _, c := range run.Cells {
		last := c.Last()
		if last == nil || len(last.Scenarios) != scenarios {
			t.Errorf("%s is %s, %s, and has not all scenarios", c.ID, c.Status, c.Reason)
			continue
		}
		for _, s := range last.Scenarios {
			switch {
			case s.Outcome == result.Works || c.Experiment != "modes":
			case c.Path == "direct":
				t.Errorf("%s: %s %s: %+v", c.Path, s.Name, s.Outcome, s.Steps)
			case c.Path == "pgbouncer-session":
				lost[s.Name] = true
			}
		}
	}
	if len(lost) != 1 || !lost["startup options"] {
		t.Errorf("PgBouncer loses %v in session mode, wanted startup options alone", lost)
	}
	checkRestored(t)
	checkPgBouncer(t, map[string]string{"server_reset_query": "DISCARD ALL", "max_prepared_statements": "200"})
}
