// Package crosscheck compares k6, the lab's instrument, with pgbench: both take the same figure on the same path,
// one after the other, over and over. It also asks whether the ratio between two paths is the same with both.
package crosscheck

import (
	"fmt"
	"math"

	"pooler-lab/internal/outcome"
)

// load is what both programs do.
type load struct {
	workload string // select, tpcb or connect
	protocol string // simple or prepared
	clients  int
	path     string
	link     string // that 10 ms of latency are put on; "" for none
	role     string
	seconds  float64
}

// metric is what is compared.
type metric int

const (
	throughput metric = iota // transactions per second
	median                   // latency of a statement, ms
	connecting               // mean time of a connect, ms
)

// unit returns the metric's unit.
func (f metric) unit() string {
	if f == throughput {
		return "tps"
	}
	return "ms"
}

// comparison is one metric of one load. The ratio of k6's to pgbench's has to be
// from least to most.
type comparison struct {
	name        string
	load        load
	metric      metric
	least, most float64

	pgbench, k6 []float64
}

// ratio returns the median of the ratios within a repeat, and the interval that holds the true one in 95 of 100
// cases (from the ratios' order alone: six repeats are the fewest that have one).
func (c *comparison) ratio() outcome.Interval {
	ratios := make([]float64, c.repeats())
	for i := range ratios {
		ratios[i] = c.k6[i] / c.pgbench[i]
	}
	return outcome.Summary(ratios)
}

// repeats are those that both programs finished.
func (c *comparison) repeats() int { return min(len(c.k6), len(c.pgbench)) }

// middle returns the median of the figures of one program.
func middle(values []float64) float64 {
	return outcome.Summary(values).Center
}

// An agreement is what a comparison comes to.
type agreement string

const (
	agrees       agreement = "agrees"       // the ratio is within the range wanted
	differs      agreement = "DIFFERS"      // it isn't, nor is any of its interval
	inconclusive agreement = "INCONCLUSIVE" // it isn't, but its interval and the range overlap
)

// agreement says whether the ratio is within the range wanted.
func (c *comparison) agreement() agreement { return judge(c.ratio(), c.least, c.most) }

// judge says whether a ratio is from least to most.
func judge(ratio outcome.Interval, least, most float64) agreement {
	switch {
	case ratio.Center >= least && ratio.Center <= most:
		return agrees
	case ratio.Known() && ratio.Hi >= least && ratio.Lo <= most:
		return inconclusive
	}
	return differs
}

// line returns the comparison as a line of the table.
func (c *comparison) line() string {
	ratio := c.ratio()
	interval := "no interval below six repeats"
	if ratio.Known() {
		interval = fmt.Sprintf("%.3f to %.3f", ratio.Lo, ratio.Hi)
	}
	return fmt.Sprintf("%-48s %9s %9s %-4s %6.3f  %-16s %-13s %s",
		c.name, metricText(middle(c.pgbench)), metricText(middle(c.k6)), c.metric.unit(),
		ratio.Center, interval, c.wanted(), c.agreement())
}

// wanted returns the range that the ratio has to be in, in words.
func (c *comparison) wanted() string {
	switch {
	case math.IsInf(c.most, 1):
		return fmt.Sprintf("at least %.2f", c.least)
	case c.least == 0:
		return fmt.Sprintf("at most %.2f", c.most)
	}
	return fmt.Sprintf("%.2f to %.2f", c.least, c.most)
}

// metricText writes a figure with three digits that count.
func metricText(value float64) string {
	if value >= 1000 {
		return fmt.Sprintf("%.0f", value)
	}
	return fmt.Sprintf("%.3f", value)
}
