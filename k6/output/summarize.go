package output

import (
	"go.k6.io/k6/v2/metrics"

	"pooler-lab/k6/summary"
)

// summarize adds what was collected of a side to what the module knows of it.
func (o *lab) summarize(side int, s *summary.Summary) {
	s.Trends = map[string]map[summary.Phase]summary.Trend{}
	s.Counters = o.sums(side)
	for name, phases := range o.trends(side) {
		s.Trends[name] = summarized(phases)
	}
	s.First = o.connects(side, "first")
	s.Later = o.connects(side, "later")
	s.Statements = o.statements(side)
	if s.Finish != nil {
		s.Finish.AddRates(s.Counters["pg_transactions"][summary.Measured])
	}
}

// of are the series of a side that have a metric of that type. Those that name no side belong to any.
func (o *lab) of(side int, metric metrics.MetricType) []*series {
	var found []*series
	for k, series := range o.byLabels {
		if k.metric.Type == metric && (k.side == none || k.side == side) {
			found = append(found, series)
		}
	}
	return found
}

// sums are those of all counters. Those of the module and of the script have one where nothing was counted, too.
func (o *lab) sums(side int) map[string]map[summary.Phase]float64 {
	sums := map[string]map[summary.Phase]float64{}
	for _, metric := range o.counters() {
		sums[metric.Name] = map[summary.Phase]float64{summary.Whole: 0, summary.Measured: 0}
	}
	for _, series := range o.of(side, metrics.Counter) {
		phases := sums[series.metric.Name]
		if phases == nil {
			phases = map[summary.Phase]float64{}
			sums[series.metric.Name] = phases
		}
		phases[summary.Whole] += series.sum
		if series.phase != "" {
			phases[summary.Phase(series.phase)] += series.sum
		}
	}
	return sums
}

// A sinks is values that are to be summed up, by name.
type sinks[K comparable] map[K]*metrics.TrendSink

// add adds values.
func (s sinks[K]) add(name K, values []float64) {
	if s[name] == nil {
		s[name] = metrics.NewTrendSink()
	}
	addAll(s[name], values)
}

// addAll adds values to a sink, in the way of k6's own summary.
func addAll(sink *metrics.TrendSink, values []float64) {
	for _, value := range values {
		sink.Add(metrics.Sample{Value: value})
	}
}

// trends are the values of all trends, by phase.
func (o *lab) trends(side int) map[string]sinks[summary.Phase] {
	all := map[string]sinks[summary.Phase]{}
	for _, series := range o.of(side, metrics.Trend) {
		name := series.metric.Name
		if all[name] == nil {
			all[name] = sinks[summary.Phase]{}
		}
		all[name].add(summary.Whole, series.values)
		if series.phase != "" {
			all[name].add(summary.Phase(series.phase), series.values)
		}
	}
	return all
}

// connects are the trends of connects that have the given place in the test: first or later.
func (o *lab) connects(side int, place string) map[string]summary.Trend {
	found := sinks[string]{}
	for _, series := range o.of(side, metrics.Trend) {
		if series.connect == place {
			found.add(series.metric.Name, series.values)
		}
	}
	return summarized(found)
}

// statements are the window's statements that have a name.
func (o *lab) statements(side int) map[string]summary.Trend {
	found := sinks[string]{}
	for _, series := range o.of(side, metrics.Trend) {
		if series.statement != "" && series.phase == string(summary.Measured) {
			found.add(series.statement, series.values)
		}
	}
	return summarized(found)
}

// summarized sums values up.
func summarized[K comparable](found sinks[K]) map[K]summary.Trend {
	all := map[K]summary.Trend{}
	for name, sink := range found {
		all[name] = summary.TrendOf(sink)
	}
	return all
}
