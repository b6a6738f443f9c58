package console

import (
	"github.com/prometheus/client_golang/prometheus"

	"pooler-lab/k6/live/second"
)

// loadFamilies are of the live load, since the console began.
var loadFamilies = []family{
	{
		describe("transactions_total", "Transactions of the live load.", "path"),
		func(m moment, d *prometheus.Desc, to chan<- prometheus.Metric) {
			for path, total := range m.load {
				n := float64(total.transactions)
				to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, n, path)
			}
		},
	},
	{
		describe("errors_total", "Errors of the live load, by SQLSTATE or the client's own word.", "path", "code"),
		func(m moment, d *prometheus.Desc, to chan<- prometheus.Metric) {
			for path, total := range m.load {
				for code, n := range total.errors {
					to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), path, code)
				}
			}
		},
	},
	histogram("response_time_seconds", "Response time of an iteration of the live load.",
		func(t loadTotal) second.Histogram { return t.response }),
	histogram("connect_time_seconds", "Time to open a connection of the live load.",
		func(t loadTotal) second.Histogram { return t.open }),
}

// histogram has one for each path.
func histogram(name, help string, of func(loadTotal) second.Histogram) family {
	return family{
		describe(name, help, "path"),
		func(m moment, d *prometheus.Desc, to chan<- prometheus.Metric) {
			for path, total := range m.load {
				count, buckets := cumulated(of(total))
				to <- prometheus.MustNewConstHistogram(d, count, of(total).Sum, buckets, path)
			}
		},
	}
}

// cumulated counts as Prometheus does: each bucket has all that the smaller ones have, too.
func cumulated(h second.Histogram) (count uint64, buckets map[float64]uint64) {
	buckets = map[float64]uint64{}
	for i, n := range h.Counts {
		count += n
		if i < len(second.Bounds) {
			buckets[second.Bounds[i]] = count
		}
	}
	return count, buckets
}
