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
	meaning string // for the legend
}

// figureOf is the one that the cell is compared by.
func figureOf(c *result.Cell) figure { return figuresOf(c)[0] }

// figuresOf are the cell's: what a connect takes, alone and with its first statement, where it connects over and
// over, the median latency where it is paced, and transactions per second at capacity.
func figuresOf(c *result.Cell) []figure {
	switch {
	case c.Workload == "connect":
		return []figure{
			{"connect", "ms", median("pg_connect"), "from the first packet to a session that takes statements: " + demand(c)},
			{"+ 1st", "stmt ms", median("pg_connect_first_statement"),
				"the same and the session's first statement: a pooler's login need not touch the database"}}
	case c.Rate > 0:
		return []figure{{"latency", "p50 ms", latency, "median from the moment a turn was due: " + demand(c)}}
	}
	return []figure{{"TPS", fmt.Sprintf("%d cl.", c.Clients), tps, "transactions a second: " + demand(c)}}
}

// short is the figure's name beside a flag.
func short(c *result.Cell) string {
	switch f := figureOf(c); f.heading {
	case "latency":
		return "p50"
	default:
		return f.heading
	}
}

// demand says what the cell's clients ask, and how often.
func demand(c *result.Cell) string {
	what := map[string]string{"connect": "", "select": "SELECT by key, "}
	statement, known := what[c.Workload]
	if !known {
		statement = c.Workload + ", "
	}
	text := fmt.Sprintf("%s%d client%s, ", statement, c.Clients, plural(c.Clients))
	if c.Rate > 0 {
		return text + "paced at " + strconv.FormatFloat(c.Rate, 'f', -1, 64) + "/s"
	}
	return text + "closed loop"
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

// shown is the cell's figure as a table has it: starred where it is flagged, failed, or - where there is none.
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
	case c.Status == result.Failed:
		return "failed "
	}
	return "- "
}

// shownRatio is the cell's ratio to base as a table has it: starred where either of the two is flagged.
func (f figure) shownRatio(c, base *result.Cell) string {
	if c == nil {
		return ""
	}
	v, ok := f.ratio(c, base)
	switch {
	case !ok:
		return "- "
	case len(flagsOf(c))+len(flagsOf(base)) > 0:
		return ratio(v) + "*"
	}
	return ratio(v) + " "
}

// ratio writes v with two decimals, or with more where it is so small that those say nothing: 1.04, 0.004.
func ratio(v float64) string {
	switch {
	case v >= 0.1 || v == 0:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v >= 0.001:
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', 5, 64)
}
