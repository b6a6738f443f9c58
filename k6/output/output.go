// Package output is the two outputs of the lab's k6: lab, one JSON file at a test's end, and live, a line of JSON a
// second.
//
//	k6 run --out lab=summary.json script.js
//	k6 run --out live=pg_statement script.js
package output

import (
	"fmt"
	"time"

	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"
)

// A collector hands on the samples of a test, every so often.
type collector struct {
	output.SampleBuffer
	description string
	every       time.Duration
	flush       func()
	flusher     *output.PeriodicFlusher
}

// Description says what the output is.
func (c *collector) Description() string { return c.description }

// Start begins to hand samples on.
func (c *collector) Start() (err error) {
	if c.flusher, err = output.NewPeriodicFlusher(c.every, c.flush); err != nil {
		return fmt.Errorf("start the output %s: %w", c.description, err)
	}
	return nil
}

// Stop hands on what is left.
func (c *collector) Stop() error {
	c.flusher.Stop()
	return nil
}

// each calls take with each sample that has come since the last time.
func (c *collector) each(take func(metrics.Sample)) {
	for _, container := range c.GetBufferedSamples() {
		for _, s := range container.GetSamples() {
			take(s)
		}
	}
}
