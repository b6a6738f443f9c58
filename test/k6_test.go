package test

import (
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/k6/summary"
)

const lessonFile = "k6/lessons/05-balance.js"

// Any script runs on any path, over its link: a latency that is swapped meanwhile shows.
func TestScriptGoesOverThePathsLink(t *testing.T) {
	const ms = 30
	script(t, "latency", "30ms", "client-pgpool")
	t.Cleanup(func() { script(t, "latency", "off", "client-pgpool") })
	for name, c := range map[string]struct {
		settings []string
		note     string
		least    float64 // that a statement takes
	}{
		"over its link":     {nil, "path pgpool over link client-pgpool, which is set to 30 ms", ms},
		"without toxiproxy": {[]string{"-e", "LAB_LINK=none"}, "path pgpool without toxiproxy", 0},
	} {
		t.Run(name, func(t *testing.T) {
			before := summaries(t)
			args := []string{"run", "--quiet", "-e", "LAB_PATH=pgpool", "-e", "LAB_CLIENTS=2", "-e", "LAB_SECONDS=1"}
			args = append(append(args, c.settings...), lessonFile)
			out := command(t, nil, filepath.Join(root, "scripts", "k6"), args...)
			if out.status != 0 || !strings.Contains(out.err, c.note) || !strings.Contains(out.out, "pg_statement.") {
				t.Fatalf("exit status %d\n%s", out.status, out.all())
			}
			s := newSummary(t, before, "05-balance")
			statement := s.Trends["pg_statement"][summary.Whole]
			if statement.Count == 0 || statement.Min < c.least || len(s.Errors) > 0 {
				t.Errorf("a statement takes %+v, with the errors %+v", statement, s.Errors)
			}
		})
	}
}
