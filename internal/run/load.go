package run

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"time"

	"pooler-lab/internal/k6run"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
	"pooler-lab/k6/summary"
)

// slack is what a repeat of c may take beside its warm-up and window before its deadline ends it, in seconds: k6's
// start and end, and the closing of its connections, for which a slow machine needs some 50 ms each.
func slack(c lesson.Cell) float64 { return 20 + 0.05*float64(connections(c)) }

// gettingReady is what the clients of c may take to get ready, in seconds.
func gettingReady(c lesson.Cell) float64 {
	if c.Transactions > 0 {
		return 0 // connecting is part of the work
	}
	return k6run.GettingReady(connections(c))
}

// connections is how many the cell's clients open.
func connections(c lesson.Cell) int {
	if c.Instances > 0 {
		return c.Instances * c.InstancePool
	}
	return c.Clients
}

// load runs k6 and reads what it saw.
func (r *runner) load(ctx context.Context, c lesson.Cell, path server.Path, out *result.Repeat) error {
	cell, file := r.told(c, path, out), r.file(c, out)
	out.Log = file + ".log"
	deadline := time.Duration(cell.Deadline * float64(time.Second))
	r.watch(c, path) // a server that doesn't answer takes none of k6's time
	limited, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()

	written := filepath.Join(r.dir, file+".json")
	g, err := r.drive(limited, c, path, cell, filepath.Join(r.dir, out.Log), written)
	r.sessions.Stop()
	out.Exit = g.Exit
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	seen, readErr := summary.Read(written)
	if readErr == nil {
		out.Summary = file + ".json"
		out.Measured = measured(seen)
		from, to := opened(g, seen)
		out.Resources = r.used(watched(path), g, from, to)
		out.Nodes, out.Pooler = r.sessions.Between(from, to)
	}
	if err := g.complain(limited, deadline, readErr, why(seen)); err != nil {
		return err
	}
	return complain(seen, c)
}

// file names what k6 writes of a repeat, below the run's folder and without its ending.
func (r *runner) file(c lesson.Cell, out *result.Repeat) string {
	name := fmt.Sprintf("%s/%s-r%d", k6Folder, c.ID, out.Block)
	if out.Attempt > 1 {
		name += fmt.Sprintf("-attempt%d", out.Attempt)
	}
	return name
}

// told is the cell as k6 is told of it.
func (r *runner) told(c lesson.Cell, path server.Path, out *result.Repeat) k6run.Cell {
	return k6run.Cell{Path: c.Path, DSN: path.DSN(), Workload: c.Workload, Clients: c.Clients, Rate: c.Rate,
		Seconds: c.Seconds, Warmup: c.Warmup, Protocol: c.Protocol, Scale: r.doc.Manifest.Scale,
		Latency: c.Latency.MS(), Link: c.Link,
		Deadline: gettingReady(c) + c.Warmup + c.Seconds + slack(c), Seed: repeatSeed(r.doc.Seed, c.ID, out.Block),
		Role: c.Role, PoolSize: c.PoolSize, Instances: c.Instances, InstancePool: c.InstancePool,
		Transactions: c.Transactions, Params: c.Params}
}

// repeatSeed differs for each repeat of a run and is the same whenever a run has the same seed.
func repeatSeed(seed uint64, id string, block int) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, seed, id, block)
	return h.Sum32()
}

// watched are the containers whose use of the machine belongs to the path.
func watched(path server.Path) []string {
	services := slices.Clone(path.Services)
	if len(path.Crossed) > 0 {
		services = append(services, topology.Proxy)
	}
	return services
}

// watch begins to sample the path's databases and its pooler. Until it is stopped, the lab's session with the pooler is
// not to be used for anything else.
func (r *runner) watch(c lesson.Cell, path server.Path) {
	subjects := sample.Subjects{Nodes: path.Nodes(), Hz: c.SamplesPerSecond, Pooler: path.PoolerService()}
	if subjects.Pooler != "" {
		subjects.SamplePooler = func(ctx context.Context) (result.Pooler, error) {
			return r.servers.SamplePooler(ctx, path)
		}
	}
	r.sessions.Start(subjects)
}

// opened is from when to when the measured window was open, or k6 lived where none was.
func opened(g generator, seen *summary.Summary) (from, to time.Time) {
	if w := seen.Window; w != nil {
		return w.Start, w.End
	}
	return g.Started, g.Ended
}

// used sums up what the repeat took between two moments.
func (r *runner) used(services []string, g generator, from, to time.Time) *result.Resources {
	resources := r.sampler.Between(services, g.Started, from, to)
	if wall := g.Ended.Sub(g.Started); wall > 0 {
		cpu, memory := g.CPU.Seconds()/wall.Seconds()/float64(cpus()), float64(g.Memory)/(1<<20)
		seconds := g.CPU.Seconds()
		resources.GeneratorCPU, resources.GeneratorMB, resources.GeneratorSeconds = &cpu, &memory, &seconds
	}
	return resources
}
