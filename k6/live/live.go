// Package live is k6's output for live traffic: what each path's clients see, as one line of JSON a second on standard
// output. k6's own outputs hand on every sample, or come at the end.
package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"

	"pooler-lab/k6/live/second"
)

func init() { output.RegisterExtension("live", New) }

// every is how often a line is printed.
const every = time.Second

// An Output collects samples of k6/x/pg.
type Output struct {
	output.SampleBuffer
	metric  string // that is the response time
	flusher *output.PeriodicFlusher
	begun   time.Time // of the second
	paths   map[string]*tally
	pathOf  map[*metrics.TagSet]string // tag sets are few and live as long as their VUs
	print   func(any) error
}

// A tally is what a path's clients have seen in this second.
type tally struct {
	transactions        float64
	responses, connects []float64 // milliseconds
	errors              map[string]int64
}

// New makes the output; its argument is the metric that is the response time: --out live=pg_statement.
func New(params output.Params) (output.Output, error) {
	if params.ConfigArgument == "" {
		return nil, errors.New("say which metric is the response time, as in --out live=pg_statement")
	}
	return &Output{
		metric: params.ConfigArgument,
		paths:  map[string]*tally{},
		pathOf: map[*metrics.TagSet]string{},
		print:  json.NewEncoder(params.StdOut).Encode,
	}, nil
}

// Description says what it is.
func (o *Output) Description() string {
	return "live (one line a second, response time " + o.metric + ")"
}

// Start begins the first second.
func (o *Output) Start() error {
	o.begun = time.Now()
	flusher, err := output.NewPeriodicFlusher(every, o.flush)
	if err != nil {
		return fmt.Errorf("start the live output: %w", err)
	}
	o.flusher = flusher
	return nil
}

// Stop ends it. What is left of a second isn't printed: it would pose as a whole one.
func (o *Output) Stop() error {
	o.flusher.Stop()
	return nil
}

// flush prints the second that has ended.
func (o *Output) flush() {
	now := time.Now()
	took := now.Sub(o.begun)
	if took < every/2 { // the last one, cut short
		return
	}
	o.begun = now
	for _, container := range o.GetBufferedSamples() {
		for _, s := range container.GetSamples() {
			o.take(s)
		}
	}
	line := second.Line{Time: now.UTC(), Paths: map[string]second.Path{}}
	for name, t := range o.paths {
		line.Paths[name] = t.sum(took)
		o.paths[name] = &tally{} // a path that falls silent is one with no transactions
	}
	_ = o.print(line) // nobody reads any more: k6 is about to be ended
}

// take adds a sample to its path's second.
func (o *Output) take(s metrics.Sample) {
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
func (t *tally) sum(took time.Duration) second.Path {
	p := second.Path{
		TPS:          t.transactions / took.Seconds(),
		P50MS:        quantile(t.responses, 0.5),
		P95MS:        quantile(t.responses, 0.95),
		ConnectMS:    quantile(t.connects, 0.5),
		Codes:        t.errors,
		Transactions: int64(t.transactions),
		ResponseTime: second.HistogramOf(t.responses),
		ConnectTime:  second.HistogramOf(t.connects),
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
