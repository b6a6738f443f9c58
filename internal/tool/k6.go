package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pooler-lab/internal/generator"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/link"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

const k6Help = `Runs k6 with the lab's PostgreSQL module. A script of the lab runs one cell of its plan:
the first of its first experiment, over the path's link with whatever latency that has just now.
-e, or a variable of your shell, changes that:

  LAB_PATH=pgpool             another path
  LAB_LINK=none               without toxiproxy, or the name of another of the path's links
  LAB_EXPERIMENT=NAME         another experiment of the plan
  LAB_WORKLOAD, LAB_CLIENTS, LAB_SECONDS, LAB_WARMUP_SECONDS, LAB_RATE, LAB_TRANSACTIONS,
  LAB_PROTOCOL, LAB_ROLE, LAB_INSTANCES, LAB_INSTANCE_POOL, LAB_HOT_ROWS, LAB_SEED,
  LAB_PARAMS='{"rows": 10}'

A script of yours connects there where its client has no dsn: k6/x/pg reads PGHOST, PGPORT,
PGDATABASE, PGUSER and PGPASSWORD. k6 sees the folder you stand in and the script's, each with
the Git repository around it: where a script imports from elsewhere, stand in a folder that
holds all its files.

A script makes tables of its own in the schema app, which comes first in the search path.
Several statements in one text need the protocol simple:

  const client = pg.client({ path: __ENV.LAB_PATH, protocol: 'simple' });
  client.exec('CREATE TABLE orders (id serial PRIMARY KEY); CREATE INDEX ON orders (id)');

What k6 measured is written below results/k6/ as well.`

// NewK6Command returns `lab k6`.
func NewK6Command(underWay link.UnderWay) *cobra.Command {
	return &cobra.Command{
		Use:   "k6 [k6's own arguments]",
		Short: "Run k6 with the lab's PostgreSQL module, on any path",
		Long:  k6Help,
		Example: "  scripts/k6 run k6/lessons/05-balance.js\n" +
			"  scripts/k6 run -e LAB_PATH=pgpool -e LAB_CLIENTS=20 k6/lessons/05-balance.js",
		DisableFlagParsing:    true,
		DisableFlagsInUseLine: true,
		RunE: func(command *cobra.Command, args []string) error {
			if wantsHelp(args) {
				return command.Help()
			}
			if len(args) == 0 || args[0] != "run" {
				return becomeK6(command.Context(), args, handed("k6", command.ErrOrStderr()))
			}
			underWay.Warn(command.ErrOrStderr(), "the load of k6")
			return runScript(command.Context(), args, command.ErrOrStderr())
		},
	}
}

// runScript becomes a k6 that runs a script on the path that the arguments say.
func runScript(ctx context.Context, args []string, notes io.Writer) error {
	given, err := parseK6(args)
	if err != nil {
		return err
	}
	set, err := topology.Load(topology.Root())
	if err != nil {
		return err
	}
	plan, err := planOf(given)
	if err != nil {
		return err
	}
	run, err := newScriptRun(set, given, plan)
	if err != nil {
		return err
	}
	if run.scale, err = server.Scale(ctx); err != nil {
		run.scale = 1 // that many rows are there in any case
	}
	env, err := run.env()
	if err != nil {
		return err
	}
	file, err := summaryFile(filepath.Join(topology.Root(), "results"), given.script, time.Now())
	if err != nil {
		return err
	}
	fmt.Fprintf(notes, "k6: %s; summary in results/k6/%s\n", run.where(ctx), filepath.Base(file))
	return becomeK6(ctx, slices.Concat([]string{args[0], "--out", "lab=" + file}, given.outputs, args[1:]),
		slices.Concat(handed("k6", notes), env))
}

// endOfScript is how long k6 may take to end the iterations of a script (30 s, k6's gracefulStop) and its teardown.
const endOfScript = 60 * time.Second

// becomeK6 has this process end as k6 does; env comes beside what k6 gets of the container's environment.
func becomeK6(ctx context.Context, args, env []string) error {
	return become(ctx, endOfScript, append(generator.Environment(own()), env...), "k6", args...)
}

// planOf reads the plan of a script of the lab, nil where the script has none.
func planOf(given k6Arguments) (*lesson.Lesson, error) {
	if !given.ofLab {
		return nil, nil
	}
	if _, err := os.Stat(lesson.PlanOf(given.script)); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return lesson.Read(given.script)
}

// where says which path a script takes, and what its link adds just now.
func (r scriptRun) where(ctx context.Context) string {
	text := "path " + r.cell.Path
	if r.cell.Role != user {
		text = "role " + r.cell.Role + " on " + text
	}
	if r.cell.Link == "" {
		return text + " without toxiproxy"
	}
	text += " over link " + r.cell.Link
	now, err := link.New(link.APIURL(), r.cell.Link).Snapshot(ctx)
	if err != nil {
		return text
	}
	return fmt.Sprintf("%s, which is set to %g ms", text, now.SetMS(r.cell.Link))
}

// summaryFile names the file that k6's output lab is to write, below results/k6: several may start in one
// second.
func summaryFile(results, script string, now time.Time) (string, error) {
	folder := filepath.Join(results, "k6")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("make a folder for k6's summary: %w", err)
	}
	name := strings.TrimSuffix(filepath.Base(script), filepath.Ext(script))
	if script == "" || isInput(script) {
		name = "test"
	}
	return filepath.Join(folder, now.UTC().Format("20060102T150405.000000Z")+"-"+name+".json"), nil
}
