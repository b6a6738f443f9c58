package report

import (
	"fmt"
	"slices"
	"strconv"

	"pooler-lab/internal/result"
)

// A figure is what a cell is judged by, and how to read it off a repeat.
type figure struct {
	heading string
	unit    string
	of      func(*result.Repeat) (float64, bool)
}

// figureOf is the cell's: what a connect takes where it connects over and over, the median latency where it is
// paced, and transactions per second at capacity.
func figureOf(c *result.Cell) figure {
	switch {
	case c.Workload == "connect":
		return figure{"connect", "ms", median("pg_connect")}
	case c.Rate > 0:
		return figure{"latency p50", "ms", latency}
	}
	return figure{"TPS", fmt.Sprintf("%d client%s", c.Clients, plural(c.Clients)), tps}
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func tps(r *result.Repeat) (float64, bool) { return r.Measured.TPS, r.Measured.Transactions > 0 }

// latency is the median from the moment a turn was due, where it was paced, and else the statements' own.
func latency(r *result.Repeat) (float64, bool) {
	if v, ok := median("pg_response")(r); ok {
		return v, true
	}
	return median("pg_statement")(r)
}

func median(metric string) func(*result.Repeat) (float64, bool) {
	return func(r *result.Repeat) (float64, bool) {
		t, ok := r.Measured.Trends[metric]
		return t.Med, ok && t.Count > 0
	}
}

// byBlock is the figure of each block whose repeat counts.
func (f figure) byBlock(c *result.Cell) map[int]float64 {
	values := map[int]float64{}
	for i := range c.Repeats {
		r := &c.Repeats[i]
		if r.Status != result.OK || r.Measured == nil {
			continue
		}
		if v, ok := f.of(r); ok {
			values[r.Block] = v
		}
	}
	return values
}

// middle is the median of the cell's repeats.
func (f figure) middle(c *result.Cell) (float64, bool) {
	var values []float64
	for _, v := range f.byBlock(c) {
		values = append(values, v)
	}
	return middle(values)
}

// ratio is the median of the ratios to base within each block.
func (f figure) ratio(c, base *result.Cell) (float64, bool) {
	if base == nil {
		return 0, false
	}
	var ratios []float64
	to := f.byBlock(base)
	for block, v := range f.byBlock(c) {
		if b := to[block]; b > 0 {
			ratios = append(ratios, v/b)
		}
	}
	return middle(ratios)
}

func middle(values []float64) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2, true
}

// number writes v with as many digits as it has meaning: 0.312, 5.24, 52.4, 524, 11642.
func number(v float64) string {
	digits := 0
	switch {
	case v < 1:
		digits = 3
	case v < 10:
		digits = 2
	case v < 100:
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// shown is the cell's figure as a table has it: starred where it is flagged, failed, or - where it never ran.
func (f figure) shown(c *result.Cell) string {
	if c == nil {
		return ""
	}
	v, ok := f.middle(c)
	switch {
	case ok && len(flagsOf(c)) > 0:
		return number(v) + "*"
	case ok:
		return number(v) + " "
	case c.Status == result.Failed || c.Status == result.OK:
		return "failed "
	}
	return "- "
}

func (f figure) shownRatio(c, base *result.Cell) string {
	if c == nil {
		return ""
	}
	if v, ok := f.ratio(c, base); ok {
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return "-"
}
