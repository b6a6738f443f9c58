package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"pooler-lab/internal/fault"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/link"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/report"
	"pooler-lab/internal/result"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/server"
	"pooler-lab/internal/terminal"
	"pooler-lab/internal/topology"
)

// NewRunCommand makes 'lab run LESSON'.
func NewRunCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run LESSON",
		Short: "Run a lesson and write what came out to results/",
		Long: "Run a lesson (its name or its number) and write what came out to results/.\n" +
			"What an option doesn't say is as the lesson has it.",
		Example: "  scripts/run 00-tour\n" +
			"  scripts/run 00 --paths direct,pgbouncer-transaction --latencies none,0,5ms --repeats 3\n" +
			"  scripts/run 01-connect --experiments all",
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o, err := f.override(c)
			if err != nil {
				return err
			}
			seed := uint64(rand.Uint32())
			if c.Flags().Changed("seed") {
				seed = uint64(f.seed)
			}
			file, err := lesson.Find(filepath.Join(topology.Root(), "k6", "lessons"), strings.Join(args, ""))
			if err != nil {
				return err
			}
			l, err := readLesson(file)
			if err != nil {
				return err
			}
			if f.dry {
				return outline(c.Context(), l, o, c.OutOrStdout())
			}
			doc, err := Lesson(c.Context(), l, o, seed, c.ErrOrStderr())
			switch {
			case doc == nil:
			case untouched(doc):
				fmt.Fprintf(c.OutOrStdout(), "Results: results/%s (without a figure)\n", doc.ID)
			default:
				Print(c.OutOrStdout(), doc, f.details)
			}
			return err
		},
	}
	f.add(c)
	return c
}

// Lesson runs a lesson as 'lab run' does while it holds the lock of results, and returns what came out: what did, where
// the error is of a run that ended early. It checks everything that can be checked before anything runs.
func Lesson(ctx context.Context, l *lesson.Lesson, o lesson.Override, seed uint64, progressOut io.Writer) (*result.Run,
	error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	p, err := prepare(l, o)
	if err != nil {
		return nil, err
	}
	if wrong := fault.Wrong(); wrong != "" {
		return nil, errors.New(wrong)
	}
	results := filepath.Join(topology.Root(), "results")
	free, err := Hold(results, "lesson "+p.lesson.Name)
	if err != nil {
		return nil, err
	}
	defer free()
	servers, err := server.New(p.set)
	if err != nil {
		return nil, err
	}
	defer servers.Close()
	scale, err := server.Scale(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.checkData(scale); err != nil {
		return nil, err
	}
	p.room.ask(ctx, servers)
	if err := p.checkRoom(); err != nil {
		return nil, err
	}
	if p.override.Full {
		if err := thisCapacity(ctx, servers, scale).refuse(p.lesson.Full); err != nil {
			return nil, err
		}
	}
	if err := servers.RevokeLogin(ctx); err != nil { // a run that was killed may have left the login
		return nil, err
	}
	links, err := link.NewSwitch(p.set, link.New(link.APIURL(), p.set.LinkNames()...))
	if err != nil {
		return nil, err
	}
	doc := p.document(seed)
	progress := newProgress(progressOut, doc, p.expected())
	progress.announce(doc, p.lesson)
	over := progress.during("reading the data into both servers' caches")
	server.Warm(ctx)
	doc.Manifest, err = manifest(ctx, servers, p.set, p.cells, scale)
	over()
	if err != nil {
		return nil, err
	}
	if doc.ID, doc.Started, err = makeFolder(results, p.lesson.Name); err != nil {
		return nil, err
	}
	defer progress.follow(results, doc.ID)()
	faults, err := fault.New(p.set, sayer(progress.say))
	if err != nil {
		return nil, err
	}
	defer faults.Close()
	sampler := sample.NewResources(topology.DockerURL, os.Getenv("COMPOSE_PROJECT_NAME"), services(p.set, p.cells))
	defer sampler.Close()
	sessions := sample.NewSessions(server.NodeDSN, os.Getenv("LAB_PASSWORD"), server.Roles())
	defer sessions.Close()
	r := &runner{
		set:      p.set,
		links:    links,
		servers:  servers,
		faults:   faults,
		sampler:  sampler,
		sessions: sessions,
		script:   p.lesson.File,
		progress: progress,
		dir:      filepath.Join(results, doc.ID),
		doc:      doc,
		once:     p.lesson.Once,
	}
	return doc, errors.Join(r.run(ctx), report.Write(r.dir, doc))
}

// readLesson reads a lesson and checks what it asks.
func readLesson(file string) (*lesson.Lesson, error) {
	l, err := lesson.Read(file)
	if err != nil {
		return nil, err
	}
	if err := outcome.Check(l); err != nil {
		return nil, fmt.Errorf("%s: %w", lesson.PlanOf(file), err)
	}
	return l, nil
}

// prepare makes the plan of a lesson's run.
func prepare(l *lesson.Lesson, o lesson.Override) (*plan, error) {
	set, err := topology.Load(topology.Root())
	if err != nil {
		return nil, err
	}
	if err := l.Apply(o); err != nil {
		return nil, err
	}
	p, err := makePlan(l, set)
	if err != nil {
		return nil, err
	}
	if asItIs(o) {
		if err := outcome.CheckCells(l, p.asked); err != nil {
			return nil, fmt.Errorf("%s: %w", lesson.PlanOf(l.File), err)
		}
	}
	p.override = o
	return p, nil
}

// asItIs says whether a run has its lesson's cells as they are, in either size, with side experiments or without.
func asItIs(o lesson.Override) bool {
	o.Until, o.AtMost, o.NoPairs = nil, nil, false
	if slices.Equal(o.Experiments, []string{lesson.All}) {
		o.Experiments = nil
	}
	return o.Describe() == ""
}

// Print writes the run's table, in short or in detail, and where its results are.
func Print(out io.Writer, doc *result.Run, details bool) {
	fmt.Fprintf(out, "%sResults: results/%s (%s opens in any browser)\n",
		report.Text(doc, details), doc.ID, report.HTMLFile)
}

// announce says what to predict of a run that takes longer than a minute, how long it takes, and what a full size
// needs.
func (p *progress) announce(doc *result.Run, l *lesson.Lesson) {
	full := doc.Lesson.Full
	if full && spokenNeeds(l.Full) != "" {
		fmt.Fprintf(p.out, "%s in full size needs %s\n", l.Name, spokenNeeds(l.Full))
	}
	long := p.remaining() > time.Minute
	if long && l.Prediction != "" {
		fmt.Fprintln(p.out, strings.Join(terminal.Wrap("Predict: "+l.Prediction, terminal.Width), "\n"))
	}
	if full || long {
		fmt.Fprintf(p.out, "%s, %s\n", howMany(doc), &p.time)
	}
}

// services are those that the cells' paths go through, and toxiproxy.
func services(set *topology.Set, cells []lesson.Cell) []string {
	found := []string{topology.Proxy}
	for _, p := range set.Paths {
		if slices.ContainsFunc(cells, func(c lesson.Cell) bool { return c.Path == p.Name }) {
			found = append(found, p.Services...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
