package crosscheck

import (
	"fmt"
	"io"

	"pooler-lab/internal/outcome"
)

// connectRatio is a connect over the pooled path beside one to the direct path, by how their clients log in.
type connectRatio struct {
	name               string
	role, besideDirect string
}

var connectRatios = []connectRatio{
	{"SCRAM (secret) / SCRAM", "app", "app"},
	{"SCRAM (password) / SCRAM", "app_clear", "app"},
	{"trust / trust", "app_trust", "app_trust"},
}

// connectTable prints how a connect over the pooled path compares with a direct one, as both programs have it.
// Where clients hash a password, a slow client makes the two paths more alike.
func connectTable(out io.Writer, list []*comparison) {
	const columns = "%-48s %-22s %-22s %-22s\n"
	begun := false
	for _, r := range connectRatios {
		through, plain := connectOf(list, pooled, r.role), connectOf(list, direct, r.besideDirect)
		if through == nil || plain == nil || min(through.repeats(), plain.repeats()) == 0 {
			continue
		}
		if !begun {
			fmt.Fprintf(out, "\nConnect, ratio of %s to the direct path (95 %% interval), not required\n"+columns,
				pooled, "", "pgbench", "k6", "k6 / pgbench")
			begun = true
		}
		byPgbench, byK6 := quotients(through.pgbench, plain.pgbench), quotients(through.k6, plain.k6)
		fmt.Fprintf(out, columns, r.name, ratioText(outcome.Summary(byPgbench)), ratioText(outcome.Summary(byK6)),
			ratioText(outcome.Summary(quotients(byK6, byPgbench))))
	}
}

// connectOf returns the comparison of connects on a path as a role, nil where there is none.
func connectOf(list []*comparison, path, role string) *comparison {
	for _, c := range list {
		if c.metric == connecting && c.load.path == path && c.load.role == role {
			return c
		}
	}
	return nil
}

// quotients divides figures of the same repeat.
func quotients(above, below []float64) []float64 {
	found := make([]float64, min(len(above), len(below)))
	for i := range found {
		found[i] = above[i] / below[i]
	}
	return found
}
