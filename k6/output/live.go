package output

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"

	"pooler-lab/k6/summary"
)

func init() { output.RegisterExtension("live", newLive) }

// A live output prints what each path's clients see, as one line of JSON a second on standard output. k6's own outputs
// hand on every sample, or come at the end.
type live struct {
	collector
	metric string    // that is the response time
	begun  time.Time // of the second
	paths  map[string]*tally
	pathOf map[*metrics.TagSet]string // tag sets are few and live as long as their VUs
	print  func(any) error
}

// A tally is what a path's clients have seen in this second.
type tally struct {
	transactions        float64
	responses, connects []float64 // milliseconds
	errors              map[string]int64
}

// newLive makes the output; its argument is the metric that is the response time: --out live=pg_statement.
func newLive(params output.Params) (output.Output, error) {
	if params.ConfigArgument == "" {
		return nil, errors.New("say which metric is the response time, as in --out live=pg_statement")
	}
	o := &live{
		metric: params.ConfigArgument,
		paths:  map[string]*tally{},
		pathOf: map[*metrics.TagSet]string{},
		print:  json.NewEncoder(params.StdOut).Encode,
	}
	o.collector = collector{description: "live (one line a second, response time " + o.metric + ")", every: time.Second,
		flush: o.flush}
	return o, nil
}

// Start begins the first second.
func (o *live) Start() error {
	o.begun = time.Now()
	return o.collector.Start()
}

// flush prints the second that has ended. What is left of one at the end isn't printed: it would pose as a whole one.
func (o *live) flush() {
	now := time.Now()
	took := now.Sub(o.begun)
	if took < o.every/2 {
		return
	}
	o.begun = now
	o.each(o.take)
	line := summary.Second{Time: now.UTC(), Paths: map[string]summary.PathSecond{}}
	for name, t := range o.paths {
		line.Paths[name] = t.sum(took)
		o.paths[name] = &tally{} // a path that falls silent is one with no transactions
	}
	_ = o.print(line) // nobody reads any more: k6 is about to be ended
}

// take adds a sample to its path's second.
func (o *live) take(s metrics.Sample) {
	path, ok := o.pathOf[s.Tags]
	if !ok {
		path, _ = s.Tags.Get("path")
		o.pathOf[s.Tags] = path
	}
	if path == "" {
		return
	}
	t := o.paths[path]
	if t == nil {
		t = &tally{}
		o.paths[path] = t
	}
	switch s.Metric.Name {
	case o.metric:
		t.responses = append(t.responses, s.Value)
	case "pg_transactions":
		t.transactions += s.Value
	case "pg_connect":
		t.connects = append(t.connects, s.Value)
	case "pg_errors":
		t.fail(s)
	}
}

// fail counts an error by its code. What was cancelled, k6 did itself as it ended.
func (t *tally) fail(s metrics.Sample) {
	code, _ := s.Tags.Get("code")
	if code == "cancelled" {
		return
	}
	if t.errors == nil {
		t.errors = map[string]int64{}
	}
	t.errors[code] += int64(s.Value)
}

// sum is the second, which took that long.
func (t *tally) sum(took time.Duration) summary.PathSecond {
	p := summary.PathSecond{
		TPS:          t.transactions / took.Seconds(),
		P50MS:        quantile(t.responses, 0.5),
		P95MS:        quantile(t.responses, 0.95),
		ConnectMS:    quantile(t.connects, 0.5),
		Codes:        t.errors,
		Transactions: int64(t.transactions),
		ResponseTime: summary.HistogramOf(t.responses),
		ConnectTime:  summary.HistogramOf(t.connects),
	}
	p.TPS = float64(int64(p.TPS*10+0.5)) / 10
	for _, n := range t.errors {
		p.Errors += n
	}
	return p
}

// quantile returns the value that a share of values lies at or below, nil where there are none.
func quantile(values []float64, share float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	v := values[min(int(share*float64(len(values))), len(values)-1)]
	v = float64(int64(v*1000+0.5)) / 1000
	return &v
}
