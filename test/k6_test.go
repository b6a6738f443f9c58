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

// Thresholds of a script fail it, and what a script can't honour is refused.
func TestScriptsEnd(t *testing.T) {
	t.Parallel()
	file := writeFile(t, folderWithSpaces(t), "slow.js", `import pg from 'k6/x/pg';
export const options = { iterations: 1, thresholds: { pg_statement: ['max<0.0001'] } };
export default function () {
  const client = pg.client({});
  client.connect();
  client.exec('SELECT 1');
  client.close();
}
`)
	for name, c := range map[string]struct {
		args   []string
		status int
		says   string
	}{
		"a threshold":     {[]string{"--quiet", file}, 99, "thresholds on metrics 'pg_statement' have been crossed"},
		"a latency":       {[]string{"-e", "LAB_LATENCY_MS=10", lessonFile}, 1, "scripts/latency 10ms client-primary"},
		"an unknown name": {[]string{"-e", "LAB_CLIENT=10", lessonFile}, 1, "did you mean LAB_CLIENTS?"},
		"what only a run does": {[]string{"-e", "LAB_EXPERIMENT=stale-far", lessonFile}, 1,
			"scripts/run 05-balance --experiments stale-far"},
		"k6's own scenario": {[]string{"--vus", "10", lessonFile}, 1, "give -e LAB_CLIENTS instead"},
		"what is not read":  {[]string{"-e", "LAB_CLIENTS=10", file}, 1, "doesn't read LAB_CLIENTS"},
	} {
		t.Run(name, func(t *testing.T) {
			a := command(t, nil, filepath.Join(root, "scripts", "k6"), append([]string{"run"}, c.args...)...)
			if a.status != c.status || !strings.Contains(a.all(), c.says) {
				t.Errorf("exit status %d, not %d\n%s\nlacks %s", a.status, c.status, a.all(), c.says)
			}
		})
	}
}
