package output

import (
	"errors"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"

	"pooler-lab/k6/pg"
	"pooler-lab/k6/summary"
)

func init() { output.RegisterExtension("lab", newLab) }

// A lab writes what a test measured, by phase, to one JSON file at its end. k6's own summary would need a threshold for
// each phase of each metric, keeps each value once more for each, and doesn't know the window. Where the clients of two
// cells alternate, each group of slots becomes a line of another file while k6 runs.
type lab struct {
	collector
	file     string
	series   map[seriesKey]*series
	byLabels map[labels]*series

	ledger ledger // of attempts, where there are any
	failed error  // of writing the groups, the first

	test     func() *summary.Test // what the module knows of it
	counters func() []*metrics.Metric
	group    func(number int) (group summary.Group, file string)
}

// A seriesKey tells samples apart as k6 has them. Tag sets are few and live as long as their VUs.
type seriesKey struct {
	metric *metrics.Metric
	tags   *metrics.TagSet
}

// labels are what a summary tells samples apart by.
type labels struct {
	metric                    *metrics.Metric
	side                      int
	phase, connect, statement string
}

// none is the side of a sample that names none: the test has one cell.
const none = -1

// A series is the values of samples with the same labels: all of a trend's, the sum of a counter's.
type series struct {
	labels
	values []float64
	sum    float64
	told   struct { // in the groups that are complete
		values int
		sum    float64
	}
}

// add adds a sample.
func (to *series) add(s metrics.Sample) {
	switch s.Metric.Type {
	case metrics.Trend:
		to.values = append(to.values, s.Value)
	case metrics.Counter:
		to.sum += s.Value
	}
}

// newLab makes the output; its argument is the file.
func newLab(params output.Params) (output.Output, error) {
	if params.ConfigArgument == "" {
		return nil, errors.New("say where the summary goes, as in --out lab=summary.json")
	}
	if k6s, ok := params.Logger.(*logrus.Logger); ok {
		k6s.AddHook(failUnsaved{})
	}
	o := &lab{
		file:     params.ConfigArgument,
		series:   map[seriesKey]*series{},
		byLabels: map[labels]*series{},
		test:     pg.Ended,
		counters: pg.Counters,
		group:    pg.Group,
	}
	o.collector = collector{description: "lab (" + o.file + ")", every: 200 * time.Millisecond,
		flush: func() { o.each(o.take) }}
	return o, nil
}

// Stop writes the summary.
func (o *lab) Stop() error {
	_ = o.collector.Stop() // it never fails
	test := o.test()
	for side, s := range test.Sides {
		o.summarize(side, s)
	}
	return errors.Join(test.Write(o.file), o.ledger.close(), o.failed)
}

// take adds a sample to its series.
func (o *lab) take(s metrics.Sample) {
	key := seriesKey{s.Metric, s.Tags}
	to := o.series[key]
	if to == nil {
		to = o.seriesOf(key)
	}
	to.add(s)
	switch s.Metric.Name {
	case groupMetric:
		o.closeGroup(int(s.Value))
	case attemptMetric:
		o.ledger.add(o.file, s)
	}
}

// seriesOf finds the series of samples that are new, and makes it for the first ones with their labels.
func (o *lab) seriesOf(key seriesKey) *series {
	k := labels{metric: key.metric, side: sideOf(key.tags)}
	k.phase, _ = key.tags.Get("phase")
	switch key.metric.Name {
	case "pg_statement":
		k.statement, _ = key.tags.Get("statement")
	case "pg_connect", "pg_connect_first_query":
		k.connect, _ = key.tags.Get("connect")
	}
	to := o.byLabels[k]
	if to == nil {
		to = &series{labels: k}
		o.byLabels[k] = to
	}
	o.series[key] = to
	return to
}
