package run

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/path"
	"pooler-lab/internal/result"
	"pooler-lab/internal/server"
)

// slack is what a repeat may take beside its warm-up and window before its deadline ends it: k6's start and end.
const slack = 20 * time.Second

// load runs k6 and reads what it saw.
func (r *runner) load(ctx context.Context, c lesson.Cell, j server.Journey, out *result.Repeat) error {
	o := r.order(c, j, out)
	deadline := time.Duration(o.Deadline * float64(time.Second))
	limited, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()

	g, err := runK6(limited, r.script, filepath.Join(r.dir, out.Log), r.password, o)
	out.Exit = g.exit
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	seen, readErr := readSummary(o.Summary)
	if readErr == nil {
		out.Summary = k6Folder + "/" + filepath.Base(o.Summary)
		out.Measured = seen.measured()
		out.Resources = r.used(watched(j), g, seen)
	}
	switch {
	case limited.Err() != nil:
		return fmt.Errorf("it did not end within its deadline of %v", deadline)
	case g.exit != 0:
		return fmt.Errorf("k6 ended with code %d: %s%s", g.exit, g.printed, seen.why())
	case readErr != nil:
		return fmt.Errorf("k6 left no summary: %w: %s", readErr, g.printed)
	}
	return seen.complain()
}

// order is the cell as k6 is told of it. It also names the files that k6 writes.
func (r *runner) order(c lesson.Cell, j server.Journey, out *result.Repeat) order {
	name := fmt.Sprintf("%s/%s-r%d", k6Folder, c.ID, out.Block)
	if out.Attempt > 1 {
		name += fmt.Sprintf("-attempt%d", out.Attempt)
	}
	out.Log = name + ".log"
	return order{Path: c.Path, DSN: j.Endpoint.DSN("app"), Workload: c.Workload, Clients: c.Clients, Rate: c.Rate,
		Seconds: c.Seconds, Warmup: c.Warmup, Protocol: c.Protocol, Scale: r.doc.Manifest.Scale,
		Summary: filepath.Join(r.dir, name+".json"), Latency: c.Latency.MS(), Link: c.Link,
		Deadline: c.Warmup + c.Seconds + slack.Seconds(), Seed: repeatSeed(r.doc.Seed, c.ID, out.Block)}
}

// repeatSeed differs for each repeat of a run and is the same whenever a run has the same seed.
func repeatSeed(seed uint64, id string, block int) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, seed, id, block)
	return h.Sum32()
}

// watched are the containers whose use of the machine belongs to the journey.
func watched(j server.Journey) []string {
	services := slices.Clone(j.Path.Services)
	if len(j.Links) > 0 {
		services = append(services, path.Proxy)
	}
	return services
}

// used sums up what the repeat took while the measured window was open, or while k6 lived where none was.
func (r *runner) used(services []string, g generator, seen *summary) *result.Resources {
	from, to := g.started, g.ended
	if w := seen.Window; w != nil {
		from, to = w.Start, w.End
	}
	resources := r.sampler.Between(services, g.started, from, to)
	if wall := g.ended.Sub(g.started); wall > 0 {
		cpu, memory := g.cpu.Seconds()/wall.Seconds()/float64(cpus()), float64(g.memory)/(1<<20)
		resources.GeneratorCPU, resources.GeneratorMB = &cpu, &memory
	}
	return resources
}
