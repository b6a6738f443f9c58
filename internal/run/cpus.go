package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/topology"
)

// What a cell's driver takes of the host's CPUs while its clients never wait, as a share of the largest CPU limit on
// their path: that server's work is what there is to drive, however many clients there are. Measured on two cores with
// SELECTs by key and half a CPU a server: k6 took 0.25 to 0.35 CPU with 5 and 45 clients, pgbench 0.15 to 0.2.
const (
	ofK6      = 0.7
	ofPgbench = 0.4
)

// ownCPUs is what the lab's sampling and the system take meanwhile.
const ownCPUs = 0.2

// driverShare is what the driver takes, as a share of its path's largest limit.
func driverShare(driver string) float64 {
	if driver == lesson.Pgbench {
		return ofPgbench
	}
	return ofK6
}

// A demand is what a cell needs of the host's CPUs: the limits of the services that it goes through, its driver, and
// the lab itself.
type demand struct {
	cell     *lesson.Cell
	services []string
	limits   float64 // their sum
	largest  float64 // of them
}

// cpus is the sum, with that program as the driver. Of one client's work only one place is busy at a time.
func (d demand) cpus(driver string) float64 {
	busy := min(d.limits+driverShare(driver)*d.largest, float64(d.cell.Clients))
	return busy + ownCPUs
}

// demandOf is the cell's demand. There is none where its clients wait for the network or for their next iteration:
// its services aren't busy all the time then. Nor is there one where a service has no limit.
func demandOf(c *lesson.Cell, set *topology.Set, limit func(service string) float64) (d demand, known bool) {
	path, err := set.Find(c.Path)
	if err != nil || c.Rate > 0 || c.Latency.MS() > 0 {
		return demand{}, false
	}
	d = demand{cell: c, services: path.Services}
	for _, service := range path.Services {
		one := limit(service)
		if one == 0 {
			return demand{}, false
		}
		d.limits, d.largest = d.limits+one, max(d.largest, one)
	}
	return d, true
}

// tooSmall says that cells need more CPUs than the host has, and whether pgbench would do with fewer; "" where none
// does.
func (p *plan) tooSmall(set *topology.Set, cpus int, limit func(service string) float64) string {
	var all []demand
	for i := range p.cells {
		c := &p.cells[i]
		if d, known := demandOf(c, set, limit); known && d.cpus(c.DrivenBy()) > float64(cpus) {
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return ""
	}
	by := func(d demand) float64 { return d.cpus(d.cell.DrivenBy()) }
	most := slices.MaxFunc(all, func(a, b demand) int { return cmp.Compare(by(a), by(b)) })
	text := fmt.Sprintf("This host has %s, and %s up to %s: %s by limit for %s, and what %s with %s and the lab take.",
		metric.Count(cpus, "CPU"), needs(len(all)), rounded(by(most)), rounded(most.limits),
		strings.Join(most.services, ", "), most.cell.DrivenBy(), metric.Count(most.cell.Clients, "client"))
	if slices.ContainsFunc(all, func(d demand) bool { return !p.drivenByPgbench(d.cell) }) {
		return text
	}
	return text + fmt.Sprintf(" With --driver pgbench it would be %s.", rounded(most.cpus(lesson.Pgbench)))
}

// drivenByPgbench says whether pgbench can drive the cell in place of k6.
func (p *plan) drivenByPgbench(c *lesson.Cell) bool {
	_, has := p.lesson.Pgbench[c.Workload]
	return has && c.DrivenBy() == lesson.K6 && c.Instances == 0
}

func needs(cells int) string {
	if cells == 1 {
		return "1 cell needs"
	}
	return metric.Count(cells, "cell") + " need"
}

func rounded(cpus float64) string { return strconv.FormatFloat(math.Round(cpus*100)/100, 'f', -1, 64) }

// cpuLimits asks for the CPU limit of each service once; 0 where it has none, or nobody tells.
func cpuLimits(ctx context.Context) func(service string) float64 {
	known := map[string]float64{}
	return func(service string) float64 {
		limit, asked := known[service]
		if !asked {
			said, _ := sample.ReadLimit(ctx, statsURL, os.Getenv("COMPOSE_PROJECT_NAME"), service)
			limit = said.CPUs
			known[service] = limit
		}
		return limit
	}
}
