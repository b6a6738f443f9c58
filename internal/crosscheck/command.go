package crosscheck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pooler-lab/internal/link"
	"pooler-lab/internal/run"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

// options are the flags of `lab crosscheck`.
type options struct {
	repeats   int
	seconds   float64
	clients   int
	unlimited bool
	all       bool
	groups    int
	paths     []string // of the ratios; all where empty
	own       bool     // clients were given: of the ratios too
}

// A disagreement is what a crosscheck ends with whose ratios aren't all within their ranges.
type disagreement struct {
	text string
	code int
}

func (d *disagreement) Error() string { return d.text }

// ExitCode is 1 where a ratio is out of its range, 2 where the machine was too restless to tell, 130 after Ctrl-C.
func (d *disagreement) ExitCode() int { return d.code }

var (
	errDiffers      = &disagreement{"a ratio of k6's figure to pgbench's is out of its range", 1}
	errInconclusive = &disagreement{"repeats differ too much to tell whether a ratio is within its range: " +
		"take more of them, or let nothing else run on this machine", 2}
	errInterrupted = &disagreement{"interrupted: the tables have what was measured until then", 130}
)

// NewCommand returns `lab crosscheck`.
func NewCommand() *cobra.Command {
	o := options{}
	command := &cobra.Command{
		Use:   "crosscheck [throughput|latency|connect|ratios]...",
		Short: "Compare k6 with pgbench, the instrument with one that everybody knows",
		Long: "throughput, latency and connect: runs pgbench and k6 on the same path, one after the other, and prints\n" +
			"both figures and their ratio with its interval. Of connects it prints the ratio of\n" +
			pooled + " to the direct path, too: the client's own hashing is part of both.\n\n" +
			"ratios: is the ratio of a path to the direct path the same with both programs? It takes the direct path\n" +
			"with itself first, which checks the method, then each path to PostgreSQL, at 10 and 90 clients. On the\n" +
			"paths " + strings.Join(requiredPaths, " and ") + " the two ratios must be within 5 %; the others are printed.\n" +
			"Two paths alternate in slots of 370 ms, four a group (ABBA or BAAB, drawn). Two pgbenches do that by\n" +
			"SIGSTOP and SIGCONT and are counted from their logs. One k6 holds the clients of both paths, and each\n" +
			"begins a transaction only in a slot of its own path. Jain's fairness index over the clients and the\n" +
			"generator's own CPU time a transaction are printed, too.\n\n" +
			"pgbench can drive a lesson's cells, too: scripts/run LESSON --driver pgbench.\n\n" +
			"The last line and the exit status say whether they agree: 1 for ratios that differ, 2 for some that are\n" +
			"inconclusive. Without arguments it does all parts. Ctrl-C prints what was measured until then.",
		Example: "  scripts/crosscheck throughput --repeats 6 --seconds 4\n  scripts/crosscheck ratios --slot-groups 80",
		RunE: func(command *cobra.Command, args []string) error {
			o.own = command.Flags().Changed("clients")
			if len(args) == 0 {
				args = parts
			}
			return crosscheck(command.Context(), command.OutOrStdout(), command.ErrOrStderr(), args, o)
		},
	}
	command.Flags().IntVar(&o.repeats, "repeats", 6, "times that both programs run; fewer than six have no interval")
	command.Flags().Float64Var(&o.seconds, "seconds", 4, "length of each of their runs")
	command.Flags().IntVar(&o.clients, "clients", 10, "clients of the throughput part, and of the ratios where given")
	command.Flags().BoolVar(&o.unlimited, "unlimited", false,
		"say that the primary's CPU limit is lifted (scripts/crosscheck lifts it)")
	command.Flags().IntVar(&o.groups, "slot-groups", 40,
		"groups of four slots that a ratio is measured in, 1.5 s each, by either program; 2 at least")
	command.Flags().StringSliceVar(&o.paths, "paths", nil, "paths whose ratio to the direct path is measured (all)")
	command.Flags().BoolVar(&o.all, "all", false, "ratios at 1, 10, 35 and 90 clients, simple and prepared")
	return command
}

func crosscheck(ctx context.Context, out, progress io.Writer, wanted []string, o options) error {
	if o.repeats < 1 || o.seconds < 1 || o.clients < 1 {
		return errors.New("repeats, seconds and clients must be at least 1")
	}
	if o.groups < 2 {
		return errors.New("slot-groups must be at least 2")
	}
	list, err := plan(wanted, o)
	if err != nil {
		return err
	}
	set, err := topology.Load(topology.Root())
	if err != nil {
		return err
	}
	var pairs []*pair
	if slices.Contains(wanted, partRatios) {
		if pairs, err = pairPlan(set, o); err != nil {
			return err
		}
	}
	free, err := run.Hold(filepath.Join(topology.Root(), "results"), "a crosscheck")
	if err != nil {
		return err
	}
	defer free()
	scale, err := strconv.Atoi(os.Getenv("LAB_SCALE"))
	if err != nil {
		return err
	}
	links := link.New(link.APIURL(), set.LinkNames()...)
	found, err := links.Snapshot(ctx)
	if err != nil {
		return err
	}
	servers, err := server.NewLab(set, os.Getenv("LAB_PASSWORD"))
	if err != nil {
		return err
	}
	defer servers.Close()
	b := &bench{set: set, links: links, servers: servers, scale: scale, progress: progress}
	stolen := sample.Stolen()
	err = b.all(ctx, list, o.repeats)
	if err == nil {
		err = b.allPairs(ctx, pairs)
	}
	err = errors.Join(err, b.restore(found))
	interrupted := ctx.Err() != nil
	if err != nil && !interrupted {
		return err
	}
	if share := stolen(); share != nil && *share >= stolenMuch {
		fmt.Fprintf(out,
			"\nThe hypervisor gave %.0f %% of this host's CPU time to other virtual machines meanwhile (stolen time): "+
				"ratios of throughput mean little.\n", 100**share)
	}
	if interrupted {
		return concludeEarly(out, list, pairs)
	}
	return conclude(out, list, pairs)
}

// bench runs comparisons in this lab.
type bench struct {
	set     *topology.Set
	links   *link.Client
	servers *server.Lab
	scale   int

	progress io.Writer
}

// all runs each comparison that many times, in blocks of one repeat of each, so that what drifts hits all alike.
func (b *bench) all(ctx context.Context, list []*comparison, repeats int) error {
	for repeat := range repeats {
		for _, c := range list {
			if err := b.repeat(ctx, c, repeat%2 == 1); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			last := len(c.k6) - 1
			fmt.Fprintf(b.progress, "%d/%d  %-48s pgbench %9s  k6 %9s %s\n", repeat+1, repeats, c.name,
				metricText(c.pgbench[last]), metricText(c.k6[last]), c.metric.unit())
		}
	}
	return nil
}

// repeat runs both programs once; each goes first every other time.
func (b *bench) repeat(ctx context.Context, c *comparison, k6First bool) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(2*c.load.seconds+60)*time.Second)
	defer cancel()
	p, err := b.set.Find(c.load.path)
	if err != nil {
		return err
	}
	at, err := p.Endpoint(c.load.link)
	if err != nil {
		return err
	}
	undo, err := b.prepare(ctx, c.load)
	if err != nil {
		return err
	}
	defer undo()
	programs := []func() error{
		func() error { return take(&c.pgbench)(runPgbench(ctx, at, c.load, c.metric)) },
		func() error { return take(&c.k6)(runK6(ctx, at, c.load, c.metric, b.scale)) },
	}
	if k6First {
		programs[0], programs[1] = programs[1], programs[0]
	}
	for _, program := range programs {
		if err := b.clean(ctx, c.load); err != nil {
			return err
		}
		if err := program(); err != nil {
			return err
		}
	}
	return nil
}

// take returns a function that adds a figure to a list.
func take(list *[]float64) func(float64, error) error {
	return func(value float64, err error) error {
		if err == nil {
			*list = append(*list, value)
		}
		return err
	}
}

// stolenMuch is the share of the host's CPU time, stolen by the hypervisor, from which on a reader should know.
const stolenMuch = 0.02

// latencyMS is the latency of the latency part, in milliseconds.
const latencyMS = 10

// prepare puts the latency on the load's link, and lets the role in that has no password. undo takes both back.
func (b *bench) prepare(ctx context.Context, l load) (undo func(), err error) {
	if l.link != "" {
		return func() { _ = b.links.Off(context.WithoutCancel(ctx), l.link) }, b.links.SetLatency(ctx, l.link, latencyMS)
	}
	if l.role == "app_trust" {
		return func() { _ = b.servers.RevokeLogin(context.WithoutCancel(ctx)) }, b.servers.GrantLogin(ctx, l.role)
	}
	if l.role == server.OneIteration {
		// One that an interrupted crosscheck left has perhaps another password.
		if err := b.servers.DropOneIteration(ctx); err != nil {
			return nil, err
		}
		return func() { _ = b.servers.DropOneIteration(context.WithoutCancel(ctx)) }, b.servers.MakeOneIteration(ctx)
	}
	return func() {}, nil
}

// clean makes both programs begin with the same tables.
func (b *bench) clean(ctx context.Context, l load) error {
	if l.workload != "tpcb" {
		return nil
	}
	return b.servers.BeginWrites(ctx)
}

// restore brings back the latencies that were there before.
func (b *bench) restore(found link.Snapshot) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return b.links.Put(ctx, found)
}
