package run

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/link"
	"pooler-lab/internal/path"
	"pooler-lab/internal/report"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/server"
)

// statsURL is the read-only proxy of Docker's API, within the lab's network.
const statsURL = "http://docker-stats:2375"

// NewRunCommand makes 'lab run LESSON'.
func NewRunCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run LESSON",
		Short: "Run a lesson and write what came out to results/",
		Long: "Run a lesson (its name or its number) and write what came out to results/.\n" +
			"What an option doesn't say is as the lesson has it.",
		Example: "  scripts/run 00-tour\n  scripts/run 00 --paths direct,pgbouncer-transaction --latencies none,0,5ms --repeats 3",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o, err := f.override(c)
			if err != nil {
				return err
			}
			seed := uint64(rand.Uint32())
			if c.Flags().Changed("seed") {
				seed = uint64(f.seed)
			}
			return runLesson(c.Context(), args, o, seed, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f.add(c)
	return c
}

// runFlags are the options of 'lab run' as they are typed.
type runFlags struct {
	groups, paths, latencies, workloads, protocols []string
	clients                                        []int
	rate, seconds, warmup                          float64
	repeats                                        int
	seed                                           uint32
}

func (f *runFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringSliceVar(&f.paths, "paths", nil, "these paths, such as direct,pgpool")
	flags.StringSliceVar(&f.latencies, "latencies", nil, "these round trips in milliseconds, such as none,0,10ms (none: no proxy in the way)")
	flags.IntSliceVar(&f.clients, "clients", nil, "these numbers of clients, such as 1,10,100")
	flags.StringSliceVar(&f.protocols, "protocols", nil, "these protocols: simple, extended, prepared")
	flags.StringSliceVar(&f.groups, "groups", nil, "only these groups of the lesson's cells")
	flags.StringSliceVar(&f.workloads, "workloads", nil, "only these workloads")
	flags.Float64Var(&f.rate, "rate", 0, "transactions per second of paced cells, over all clients")
	flags.Float64Var(&f.seconds, "seconds", 0, "length of each measured window")
	flags.Float64Var(&f.warmup, "warmup", 0, "most seconds that a warm-up may take")
	flags.IntVar(&f.repeats, "repeats", 0, "how often to run each cell")
	flags.Uint32Var(&f.seed, "seed", 0, "of the order in which cells run: the same one gives the same order")
}

// override is what the options change of the lesson.
func (f *runFlags) override(c *cobra.Command) (lesson.Override, error) {
	o := lesson.Override{Groups: f.groups, Paths: f.paths, Workloads: f.workloads, Clients: f.clients, Protocols: f.protocols}
	for _, s := range f.latencies {
		l, err := lesson.ParseLatency(s)
		if err != nil {
			return o, err
		}
		o.Latencies = append(o.Latencies, l)
	}
	for name, to := range map[string]**float64{"rate": &o.Rate, "seconds": &o.Seconds, "warmup": &o.Warmup} {
		if c.Flags().Changed(name) {
			value, err := c.Flags().GetFloat64(name)
			if err != nil {
				return o, err
			}
			*to = &value
		}
	}
	if c.Flags().Changed("repeats") {
		o.Repeats = &f.repeats
	}
	return o, nil
}

// runLesson checks everything that can be checked before anything runs, then runs.
func runLesson(ctx context.Context, args []string, o lesson.Override, seed uint64, out, progressOut io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	root := path.Root()
	file, err := chosen(filepath.Join(root, "k6", "lessons"), args)
	if err != nil {
		return err
	}
	set, err := path.Load(root)
	if err != nil {
		return err
	}
	for _, name := range o.Paths {
		if _, err := set.Find(name); err != nil && name != "*" {
			return err
		}
	}
	l, err := lesson.Read(ctx, file)
	if err != nil {
		return err
	}
	if err := l.Apply(o); err != nil {
		return err
	}
	p, err := makePlan(l, set)
	if err != nil {
		return err
	}
	return execute(ctx, set, p, o, seed, filepath.Join(root, "results"), out, progressOut)
}

// chosen returns the script of the lesson that was asked for.
func chosen(dir string, args []string) (string, error) {
	if len(args) == 1 {
		return lesson.Find(dir, args[0])
	}
	names, err := lesson.Names(dir)
	if err != nil {
		return "", err
	}
	return "", fmt.Errorf("say which lesson to run:\n  %s", strings.Join(names, "\n  "))
}

// execute runs the plan while it holds the lock of results, and prints the table.
func execute(ctx context.Context, set *path.Set, p *plan, o lesson.Override, seed uint64, results string, out, progressOut io.Writer) error {
	lock, err := takeLock(results, "lesson "+p.lesson.Name)
	if err != nil {
		return err
	}
	defer lock.Close()
	servers := server.NewLab(everyService(set), os.Getenv("LAB_PASSWORD"), os.Getenv("APP_PASSWORD"))
	defer servers.Close()
	scale, err := servers.Scale(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(progressOut, "reading the data into both servers' caches")
	servers.Warm(ctx)
	doc := p.document(o, seed)
	doc.Manifest = manifest(ctx, servers, set, p.cells, scale)
	if doc.ID, doc.Started, err = makeFolder(results, p.lesson.Name); err != nil {
		return err
	}
	sampler := sample.New(statsURL, os.Getenv("COMPOSE_PROJECT_NAME"), services(set, p.cells))
	defer sampler.Close()
	r := &runner{set: set, links: link.New(link.APIURL()), servers: servers, sampler: sampler, script: p.lesson.File, scheduled: p.cells,
		progress: newProgress(progressOut, doc.Blocks, p.cells, kindIn(set)),
		password: os.Getenv("APP_PASSWORD"), dir: filepath.Join(results, doc.ID), doc: doc}
	err = r.run(ctx)
	fmt.Fprintf(out, "%s\nResults: results/%s\n", report.Table(doc), doc.ID)
	return err
}

// services are those that the cells' paths go through, and toxiproxy.
func services(set *path.Set, cells []lesson.Cell) []string {
	found := []string{path.Proxy}
	for _, p := range set.Paths {
		if slices.ContainsFunc(cells, func(c lesson.Cell) bool { return c.Path == p.Name }) {
			found = append(found, p.Services...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// everyService lists those of all paths.
func everyService(set *path.Set) []string {
	var found []string
	for _, p := range set.Paths {
		found = append(found, p.Services...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}
