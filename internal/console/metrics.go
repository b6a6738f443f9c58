package console

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"pooler-lab/internal/console/api"
)

// A moment is what there is to be told to Prometheus.
type moment struct {
	state api.State
	load  map[string]loadTotal // by path
}

// A family is a metric of Prometheus: collect hands out its values, none where nothing is known.
type family struct {
	describe *prometheus.Desc
	collect  func(moment, *prometheus.Desc, chan<- prometheus.Metric)
}

// families are all metrics.
var families = append(gaugeFamilies, loadFamilies...)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("lab_"+name, help, labels, nil)
}

// A collector hands one moment's metrics to Prometheus.
type collector struct{ moment }

// Describe implements prometheus.Collector.
func (c collector) Describe(to chan<- *prometheus.Desc) {
	for _, f := range families {
		to <- f.describe
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(to chan<- prometheus.Metric) {
	for _, f := range families {
		f.collect(c.moment, f.describe, to)
	}
}

// serveMetrics answers Prometheus. Each answer has a registry of its own, for it is of one moment.
func (p *parts) serveMetrics(w http.ResponseWriter, r *http.Request) error {
	registry := prometheus.NewRegistry()
	now := moment{state: p.measured(r.Context()), load: p.load.totals.all()}
	if err := registry.Register(collector{now}); err != nil {
		return err
	}
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	return nil
}
