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
	"pooler-lab/internal/plan"
	"pooler-lab/internal/report"
	"pooler-lab/internal/result"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
	"pooler-lab/internal/trial"
	"pooler-lab/internal/wording"
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
			l, err := plan.Read(file)
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
				report.Print(c.OutOrStdout(), doc, f.details)
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
	p, err := plan.New(l, o)
	if err != nil {
		return nil, err
	}
	if wrong := fault.Wrong(); wrong != "" {
		return nil, errors.New(wrong)
	}
	results := filepath.Join(topology.Root(), "results")
	free, err := result.Hold(results, "lesson "+p.Lesson.Name)
	if err != nil {
		return nil, err
	}
	defer free()
	servers, err := server.New(p.Set)
	if err != nil {
		return nil, err
	}
	defer servers.Close()
	scale, err := server.Scale(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.CheckData(scale); err != nil {
		return nil, err
	}
	p.Room.Free = freeConnections(ctx, servers)
	if err := p.CheckRoom(); err != nil {
		return nil, err
	}
	if p.Override.Full {
		if err := thisCapacity(ctx, servers, scale).Refuse(p.Lesson.Full); err != nil {
			return nil, err
		}
	}
	if err := servers.RevokeLogin(ctx); err != nil { // a run that was killed may have left the login
		return nil, err
	}
	proxy := link.New(link.APIURL(), p.Set.LinkNames()...)
	links, err := link.NewSwitch(p.Set, proxy)
	if err != nil {
		return nil, err
	}
	doc := p.Document(seed)
	progress := newProgress(progressOut, doc, p.Expected())
	progress.announce(doc, p.Lesson)
	over := progress.during("reading the data into both servers' caches")
	server.Warm(ctx)
	doc.Manifest, err = manifest(ctx, servers, proxy, p.Set, p.Cells, scale)
	over()
	if err != nil {
		return nil, err
	}
	if doc.ID, doc.Started, err = result.NewFolder(results, p.Lesson.Name); err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Join(results, doc.ID, trial.K6Folder), 0o755); err != nil {
		return nil, fmt.Errorf("make the folder for what k6 writes: %w", err)
	}
	defer progress.follow(results, doc.ID)()
	faults, err := fault.New(p.Set, sayer(progress.say))
	if err != nil {
		return nil, err
	}
	defer faults.Close()
	sampler := sample.NewResources(topology.LabDocker(), services(p.Set, p.Cells))
	defer sampler.Close()
	sessions := sample.NewSessions(topology.NodeDSN, topology.LabPassword(), topology.Roles())
	defer sessions.Close()
	r := &runner{progress: progress, doc: doc, once: p.Lesson.Once, lab: &trial.Lab{
		Set: p.Set, Links: links, Servers: servers, Faults: faults, Sampler: sampler, Sessions: sessions,
		Script: p.Lesson.File, Folder: filepath.Join(results, doc.ID), Seed: seed, Scale: scale,
		Phase: progress.enter, Groups: progress.groups,
	}}
	r.lab.NotRestored = r.notRestored
	return doc, errors.Join(r.run(ctx), report.Write(r.lab.Folder, doc))
}

// announce says what to predict of a run that takes longer than a minute and has the lesson's own experiments, how long
// it takes, and what a full size needs.
func (p *progress) announce(doc *result.Run, l *lesson.Lesson) {
	full := doc.Lesson.Full
	if full && plan.SpokenNeeds(l.Full) != "" {
		fmt.Fprintf(p.out, "%s in full size needs %s\n", l.Name, plan.SpokenNeeds(l.Full))
	}
	long := p.remaining() > time.Minute
	if long && l.Prediction != "" && len(doc.Lesson.Override.Experiments) == 0 {
		fmt.Fprintln(p.out, strings.Join(wording.Wrap("Predict: "+l.Prediction, wording.Width), "\n"))
	}
	if full || long {
		fmt.Fprintf(p.out, "%s, %s\n", plan.HowMany(doc), &p.time)
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
