package output

import (
	"testing"

	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"
)

// given are the samples that an output is given.
type given struct {
	to       output.Output
	registry *metrics.Registry
}

func newGiven(to output.Output) given { return given{to, metrics.NewRegistry()} }

// add adds samples of a metric with these tags.
func (g given) add(name string, kind metrics.MetricType, tags map[string]string, values ...float64) {
	metric := g.registry.MustNewMetric(name, kind)
	set := g.registry.RootTagSet().WithTagsFromMap(tags)
	for _, v := range values {
		series := metrics.TimeSeries{Metric: metric, Tags: set}
		g.to.AddMetricSamples([]metrics.SampleContainer{metrics.Sample{TimeSeries: series, Value: v}})
	}
}

func TestArgumentHasToBeSaid(t *testing.T) {
	for name, make := range map[string]func(output.Params) (output.Output, error){"lab": newLab, "live": newLive} {
		if _, err := make(output.Params{}); err == nil {
			t.Errorf("the output %s was told nothing, and that was no error", name)
		}
	}
}
