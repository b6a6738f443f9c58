package lesson

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pooler-lab/internal/wording"
)

// Accounts is how many pgbench has at scale 1.
const Accounts = 100000

// The programs that a cell's clients can be in.
const (
	K6      = "k6"
	Pgbench = "pgbench"
)

// ownScripts are those that pgbench brings with it (pgbench --show-script), by their names there.
var ownScripts = map[string]string{
	"select-only": `\set aid random(1, 100000 * :scale)
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
`,
	"tpcb-like": `\set aid random(1, 100000 * :scale)
\set bid random(1, 1 * :scale)
\set tid random(1, 10 * :scale)
\set delta random(-5000, 5000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;
UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
END;
`,
}

// pgbenchScript is the text that a plan means: that of one of pgbench's own scripts by its name, which draws from the
// cell's accounts in place of all, or the text itself.
func pgbenchScript(said string) string {
	if own, ok := ownScripts[strings.TrimSpace(said)]; ok {
		return strings.Replace(own, "100000 * :scale", ":accounts", 1)
	}
	return said
}

// Explicit says whether a script of pgbench is a transaction of several statements: it begins with BEGIN.
func Explicit(script string) bool {
	all := statements(script)
	return len(all) > 0 && strings.EqualFold(all[0], "begin")
}

var (
	metaCommand = regexp.MustCompile(`(?m)^\s*(\\|--).*$`)
	endOfBlock  = regexp.MustCompile(`(?i)^(end|commit)$`)
)

// statements are those that a script of pgbench sends.
func statements(script string) []string {
	var all []string
	for text := range strings.SplitSeq(metaCommand.ReplaceAllString(script, ""), ";") {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// checkScript refuses a script whose statements are several transactions of the server: pgbench counts the script as
// one.
func checkScript(script string) error {
	all := statements(script)
	switch {
	case len(all) == 0:
		return fmt.Errorf("there is no statement in it; pgbench's own scripts are %s",
			strings.Join(slices.Sorted(maps.Keys(ownScripts)), ", "))
	case len(all) == 1 && strings.Contains(all[0], " "):
		return nil
	case len(all) == 1:
		return wording.Unknown("script of pgbench's own", all[0], slices.Sorted(maps.Keys(ownScripts)))
	case !Explicit(script) || !endOfBlock.MatchString(all[len(all)-1]):
		return fmt.Errorf("it has %d statements, and several have to stand between BEGIN and END: pgbench counts a "+
			"script as one transaction", len(all))
	}
	return nil
}

// checkPgbench says what is wrong with the plan's scripts of pgbench, by the workloads that its own script exports.
func (l *Lesson) checkPgbench(file string, known []string) error {
	for _, workload := range slices.Sorted(maps.Keys(l.Pgbench)) {
		if !slices.Contains(known, workload) {
			return fmt.Errorf("%s: pgbench: %w", file, wording.Unknown("workload", workload, known))
		}
		if err := checkScript(pgbenchScript(l.Pgbench[workload])); err != nil {
			return fmt.Errorf("%s: pgbench: %s: %w", file, workload, err)
		}
	}
	return nil
}

// refusePgbench says why pgbench can't be the experiment's driver, nil where it can or isn't.
func (l *Lesson) refusePgbench(e *Experiment) error {
	if !slices.Contains(e.Driver, Pgbench) {
		return nil
	}
	for _, workload := range e.Workload {
		if _, ok := l.Pgbench[workload]; !ok {
			return fmt.Errorf("pgbench has no script of the workload %s: %s. Name experiments with --experiments, "+
				"or workloads with --workloads", workload, l.pgbenchHas())
		}
	}
	switch {
	case e.Rate > 0:
		return fmt.Errorf("pgbench can't drive an open loop: it draws its pauses at random, and k6 begins %g "+
			"iterations a second evenly", e.Rate)
	case len(e.Instances) > 0:
		return errors.New("pgbench can't drive application instances: each of its clients has a connection of its own")
	}
	return nil
}

// pgbenchHas says which workloads have a script of pgbench.
func (l *Lesson) pgbenchHas() string {
	if len(l.Pgbench) == 0 {
		return "the plan has no key pgbench"
	}
	return "the plan's key pgbench has " + strings.Join(slices.Sorted(maps.Keys(l.Pgbench)), ", ")
}

// DrivenBy is the program that the cell's clients are in.
func (c *Cell) DrivenBy() string {
	if c.Driver == "" {
		return K6
	}
	return c.Driver
}
