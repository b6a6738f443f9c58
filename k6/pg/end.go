package pg

import (
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"
)

// testEnd is k6's event after the last iteration and teardown(), while samples
// are still taken. k6 keeps the name of the constant to itself.
const testEnd = 3

// goodbye is how long the end of a test waits for servers to close their end.
const goodbye = time.Second

// watchEnd calls finish when the test ends. k6's unit-test runtime has no events.
func (m *Module) watchEnd(vu modules.VU) {
	events := vu.Events().Global
	if events == nil {
		return
	}
	m.watching.Do(func() {
		_, ended := events.Subscribe(testEnd)
		go func() {
			for event := range ended {
				m.finish(time.Now())
				event.Done()
			}
		}()
	})
}

// finish reports the window and what is still in the books, and closes all
// connections. It returns when the servers have closed them too, so that their
// statistics are complete, or after goodbye.
func (m *Module) finish(now time.Time) {
	m.settle(now)
	if i := m.witness.Load(); i != nil {
		m.reportWindow(i, now)
	}
	m.guard.dismiss()
	m.closePools()
}

// settle pushes what is in the books of all VUs.
func (m *Module) settle(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, i := range m.keepers {
		i.settleAll(now)
	}
}

// reportWindow pushes the metrics of the whole test through any VU's instance.
func (m *Module) reportWindow(i *instance, now time.Time) {
	window := m.schedule.end(now)
	if finish := m.race.outcome(&window); finish != nil {
		m.schedule.atOpening.ready = finish.Connected
		m.schedule.atOpening.failed = m.race.options.Clients - finish.Connected
	}
	tags := i.vu.State().Tags.GetCurrentValues().Tags
	measured := tags.With("phase", phaseMeasure.String())
	length := metrics.Samples{
		sample(i.metrics.Window, tags, now, window.end.Sub(window.start).Seconds()),
		sample(i.metrics.ClientsReady, tags, now, float64(m.schedule.atOpening.ready)),
		sample(i.metrics.ClientsFailed, tags, now, float64(m.schedule.atOpening.failed)),
		sample(i.metrics.Dropped, measured, now, float64(m.pacers.dropped(window))),
	}
	i.vu.State().Samples <- length
}

// outcome is what pg.outcome() returns.
type outcome struct {
	Window *windowOutcome `js:"window"` // nil if it never opened
	Finish *finishOutcome `js:"finish"` // nil where there was no race
	Errors []errorCount   `js:"errors"`
}

type windowOutcome struct {
	Start   string  `js:"start"` // UTC, RFC 3339
	End     string  `js:"end"`
	Seconds float64 `js:"seconds"`
	Ready   int     `js:"ready"`  // clients, when it opened; of a race those that could connect
	Failed  int     `js:"failed"` // clients, when it opened; of a race those that couldn't
	Late    int     `js:"late"`   // clients that were ready only after it had opened; of a race none
}

// outcome is pg.outcome(), for handleSummary: what k6's own summary can't say,
// the window's moments and the errors by phase and code.
func (i *instance) outcome(sobek.FunctionCall) sobek.Value {
	result := outcome{Errors: i.errors.list()}
	if open := i.schedule.open.Load(); open != nil {
		result.Window = &windowOutcome{
			Start:   open.start.UTC().Format(time.RFC3339Nano),
			End:     open.end.UTC().Format(time.RFC3339Nano),
			Seconds: open.end.Sub(open.start).Seconds(),
			Ready:   i.schedule.atOpening.ready,
			Failed:  i.schedule.atOpening.failed,
			Late:    i.schedule.late(),
		}
		result.Finish = i.race.outcome(open)
	}
	return i.vu.Runtime().ToValue(result)
}
