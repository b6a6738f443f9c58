package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"go.k6.io/k6/v2/metrics"

	"pooler-lab/k6/summary"
)

// groupMetric is what k6/x/pg sends when a group is complete, after all of the group's samples: its number.
const groupMetric = "pg_group"

// sideOf is the side that the tags name, one of a pair or the number of a cell that runs at once with others; none
// where they name none.
func sideOf(tags *metrics.TagSet) int {
	name, _ := tags.Get("side")
	if side := slices.Index(summary.SideNames[:], name); side >= 0 {
		return side
	}
	if side, err := strconv.Atoi(name); err == nil {
		return side
	}
	return none
}

// closeGroup writes what was measured since the last group.
func (o *lab) closeGroup(number int) {
	g, file := o.group(number)
	for side := range g.Sides {
		shown, values := &g.Sides[side], sinks[string]{}
		shown.Counters = map[string]float64{}
		for _, counter := range o.counters() {
			shown.Counters[counter.Name] = 0
		}
		for _, s := range o.byLabels {
			if s.side != side || s.phase != string(summary.Measured) {
				continue
			}
			if more := s.sum - s.told.sum; more != 0 {
				shown.Counters[s.metric.Name] += more
			}
			if more := s.values[s.told.values:]; len(more) > 0 {
				values.add(s.metric.Name, more)
			}
			s.told.sum, s.told.values = s.sum, len(s.values)
		}
		shown.Trends = summarized(values)
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
