package output

import (
	"go.k6.io/k6/v2/metrics"

	"pooler-lab/k6/summary"
)

// summarize returns what was collected.
func (o *Output) summarize() *summary.Summary {
	s := &summary.Summary{Trends: map[string]map[summary.Phase]summary.Trend{}}
	var counters []*metrics.Metric
	s.Ending, counters = o.ending()
	s.Counters = o.counters(counters)
	for name, phases := range o.trends() {
		s.Trends[name] = summarized(phases)
	}
	s.First = o.connects("first")
	s.Later = o.connects("later")
	s.Statements = o.statements()
	if s.Finish != nil {
		addRates(s.Finish, s.Counters["pg_transactions"][summary.Measured])
	}
	return s
}

// addRates adds transactions per second, with the time to connect and without.
func addRates(f *summary.Finish, transactions float64) {
	if f.Seconds > 0 {
		f.TPSWithConnect = transactions / f.Seconds
	}
	if working := f.Seconds - f.MeanConnectSeconds; working > 0 {
		f.TPS = transactions / working
	}
}

// counters are the sums of all counters; those listed have one where nothing was counted, too.
func (o *Output) counters(listed []*metrics.Metric) map[string]map[summary.Phase]float64 {
	sums := map[string]map[summary.Phase]float64{}
	for _, metric := range listed {
		sums[metric.Name] = map[summary.Phase]float64{summary.Whole: 0, summary.Measured: 0}
	}
	for g, series := range o.groups {
		if g.metric.Type != metrics.Counter {
			continue
		}
		phases := sums[g.metric.Name]
		if phases == nil {
			phases = map[summary.Phase]float64{}
			sums[g.metric.Name] = phases
		}
		phases[summary.Whole] += series.sum
		if g.phase != "" {
			phases[summary.Phase(g.phase)] += series.sum
		}
	}
	return sums
}

// A sinks is values that are to be summed up, by name.
type sinks[K comparable] map[K]*metrics.TrendSink

// add adds values, in the way of k6's own summary.
func (s sinks[K]) add(name K, values []float64) {
	if s[name] == nil {
		s[name] = metrics.NewTrendSink()
	}
	for _, value := range values {
		s[name].Add(metrics.Sample{Value: value})
	}
}

// trends are the values of all trends, by phase.
func (o *Output) trends() map[string]sinks[summary.Phase] {
	all := map[string]sinks[summary.Phase]{}
	for g, series := range o.groups {
		if g.metric.Type != metrics.Trend {
			continue
		}
		if all[g.metric.Name] == nil {
			all[g.metric.Name] = sinks[summary.Phase]{}
		}
		all[g.metric.Name].add(summary.Whole, series.values)
		if g.phase != "" {
			all[g.metric.Name].add(summary.Phase(g.phase), series.values)
		}
	}
	return all
}

// connects are the trends of connects that have the given place in the test: first or later.
func (o *Output) connects(place string) map[string]summary.Trend {
	found := sinks[string]{}
	for g, series := range o.groups {
		if g.connect == place {
			found.add(g.metric.Name, series.values)
		}
	}
	return summarized(found)
}

// statements are the window's statements that have a name.
func (o *Output) statements() map[string]summary.Trend {
	found := sinks[string]{}
	for g, series := range o.groups {
		if g.statement != "" && g.phase == string(summary.Measured) {
			found.add(g.statement, series.values)
		}
	}
	return summarized(found)
}

// summarized sums values up.
func summarized[K comparable](found sinks[K]) map[K]summary.Trend {
	all := map[K]summary.Trend{}
	for name, sink := range found {
		all[name] = summary.Trend{Count: int64(sink.Count()), Min: sink.Min(), Avg: sink.Avg(), Med: sink.P(0.5),
			P90: sink.P(0.9), P95: sink.P(0.95), P99: sink.P(0.99), Max: sink.Max()}
	}
	return all
}
