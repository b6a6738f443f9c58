package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"go.k6.io/k6/v2/metrics"

	"pooler-lab/k6/summary"
)

// groupMetric is what k6/x/pg sends when a group is complete, after all of the group's samples: its number.
const groupMetric = "pg_group"

// sideOf is the side that the tags name; none where they name none.
func sideOf(tags *metrics.TagSet) int {
	name, _ := tags.Get("side")
	for side, known := range summary.SideNames {
		if name == known {
			return side
		}
	}
	return none
}

// closeGroup writes what was measured since the last group.
func (o *lab) closeGroup(number int) {
	g, file := o.group(number)
	for side := range g.Sides {
		shown := &g.Sides[side]
		shown.Counters, shown.Trends = map[string]float64{}, map[string]summary.Trend{}
		for _, counter := range o.counters() {
			shown.Counters[counter.Name] = 0
		}
		for metric, series := range o.current[side] {
			switch metric.Type {
			case metrics.Counter:
				shown.Counters[metric.Name] = series.sum
			case metrics.Trend:
				sink := metrics.NewTrendSink()
				addAll(sink, series.values)
				shown.Trends[metric.Name] = summary.TrendOf(sink)
			}
		}
		o.current[side] = nil
	}
	if err := appendLine(file, g); err != nil && o.failed == nil {
		o.failed = fmt.Errorf("write a group: %w", err)
	}
}

// appendLine adds a line of JSON to a file, in one write: who reads it sees whole lines.
func appendLine(file string, value any) error {
	if file == "" {
		return nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	to, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = to.Write(append(text, '\n'))
	return errors.Join(err, to.Close())
}

// keep adds a sample to what its side has measured since the last group.
func (o *lab) keep(side int, s metrics.Sample) {
	if o.current[side] == nil {
		o.current[side] = map[*metrics.Metric]*series{}
	}
	to := o.current[side][s.Metric]
	if to == nil {
		to = &series{}
		o.current[side][s.Metric] = to
	}
	to.add(s)
}
