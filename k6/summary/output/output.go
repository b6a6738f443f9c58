// Package output is k6's output lab: what a test measured, by phase, as one JSON file at its end. k6's own summary
// would need a threshold for each phase of each metric, keeps each value once more for each, and doesn't know the
// window.
//
//	k6 run --out lab=summary.json script.js
package output

import (
	"errors"
	"fmt"
	"time"

	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"

	"pooler-lab/k6/pg"
	"pooler-lab/k6/summary"
)

func init() { output.RegisterExtension("lab", New) }

// every is how often samples are taken in.
const every = 200 * time.Millisecond

// An Output collects the samples of a test.
type Output struct {
	output.SampleBuffer
	file    string
	flusher *output.PeriodicFlusher
	series  map[seriesKey]*series
	groups  map[group]*series

	ending func() (summary.Ending, []*metrics.Metric)
}

// A seriesKey tells samples apart as k6 has them. Tag sets are few and live as long as their VUs.
type seriesKey struct {
	metric *metrics.Metric
	tags   *metrics.TagSet
}

// A group is samples that a summary doesn't tell apart.
type group struct {
	metric                    *metrics.Metric
	phase, connect, statement string
}

// A series is the values of a group: all of a trend's, the sum of a counter's.
type series struct {
	values []float64
	sum    float64
}

// New makes the output; its argument is the file.
func New(params output.Params) (output.Output, error) {
	if params.ConfigArgument == "" {
		return nil, errors.New("say where the summary goes, as in --out lab=summary.json")
	}
	return &Output{
		file:   params.ConfigArgument,
		series: map[seriesKey]*series{},
		groups: map[group]*series{},
		ending: pg.Ended,
	}, nil
}

// Description says what it is.
func (o *Output) Description() string { return "lab (" + o.file + ")" }

// Start begins to take samples in.
func (o *Output) Start() error {
	flusher, err := output.NewPeriodicFlusher(every, o.flush)
	if err != nil {
		return fmt.Errorf("start the output lab: %w", err)
	}
	o.flusher = flusher
	return nil
}

// Stop writes the summary.
func (o *Output) Stop() error {
	o.flusher.Stop()
	return o.summarize().Write(o.file)
}

// flush takes in what has come since the last time.
func (o *Output) flush() {
	for _, container := range o.GetBufferedSamples() {
		for _, s := range container.GetSamples() {
			o.take(s)
		}
	}
}

// take adds a sample to its series.
func (o *Output) take(s metrics.Sample) {
	key := seriesKey{s.Metric, s.Tags}
	to := o.series[key]
	if to == nil {
		to = o.seriesOf(key)
	}
	switch s.Metric.Type {
	case metrics.Trend:
		to.values = append(to.values, s.Value)
	case metrics.Counter:
		to.sum += s.Value
	}
}

// seriesOf finds the series of samples that are new, and makes it for the first ones of their group.
func (o *Output) seriesOf(key seriesKey) *series {
	g := group{metric: key.metric}
	g.phase, _ = key.tags.Get("phase")
	switch key.metric.Name {
	case "pg_statement":
		g.statement, _ = key.tags.Get("statement")
	case "pg_connect", "pg_connect_first_query":
		g.connect, _ = key.tags.Get("connect")
	}
	to := o.groups[g]
	if to == nil {
		to = &series{}
		o.groups[g] = to
	}
	o.series[key] = to
	return to
}
