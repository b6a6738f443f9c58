package pg

import (
	"slices"
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"

	"pooler-lab/k6/summary"
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

// finish reports the window and what is still in the tag sets, and closes all
// connections. It returns when the servers have closed them too, so that their
// statistics are complete, or after goodbye.
func (m *Module) finish(now time.Time) {
	m.slots.finish(now)
	m.settle(now)
	m.slots.report(now)
	if i := m.windowUser.Load(); i != nil {
		m.reportWindow(i, now)
	}
	m.guard.dismiss()
	m.closePools()
}

// settle pushes what is in the tag sets of all VUs.
func (m *Module) settle(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, i := range m.users {
		i.settleAll(now)
	}
}

// reportWindow pushes the metrics of the whole test through any VU's instance.
func (m *Module) reportWindow(i *instance, now time.Time) {
	window := m.schedule.end(now)
	if finish := m.race.outcome(&window); finish != nil {
		m.schedule.ready, m.schedule.failed = finish.Connected, m.race.options.Clients-finish.Connected
	}
	tags := i.vu.State().Tags.GetCurrentValues().Tags
	measured := tags.With("phase", phaseMeasure.String())
	length := metrics.Samples{
		sample(i.metrics.Window, tags, now, window.end.Sub(window.start).Seconds()),
		sample(i.metrics.ClientsReady, tags, now, float64(m.schedule.ready)),
		sample(i.metrics.ClientsFailed, tags, now, float64(m.schedule.failed)),
		sample(i.metrics.Dropped, measured, now, float64(m.pacers.dropped(window))),
	}
	i.vu.State().Samples <- length
}

// Ended is what the module knows of the test that has ended, and the counters of the module and of the script: an
// output that is told of no value can't know them.
func Ended() (summary.Ending, []*metrics.Metric) {
	return module.ending(), module.counters()
}

// ending is what isn't in samples: the window's moments, how fixed work ended, and the errors by phase and code.
func (m *Module) ending() summary.Ending {
	ending := summary.Ending{Unopened: m.schedule.unopened(), Errors: m.errors.list(0)}
	open := m.schedule.open.Load()
	if open == nil {
		return ending
	}
	ending.Window = &summary.Window{
		Start:   open.start.UTC(),
		End:     open.end.UTC(),
		Seconds: open.end.Sub(open.start).Seconds(),
		Ready:   m.schedule.ready,
		Failed:  m.schedule.failed,
	}
	ending.Finish = m.race.outcome(open)
	return ending
}

// counters returns the counters that are registered, without k6's own.
func (m *Module) counters() []*metrics.Metric {
	registry := m.registry.Load()
	if registry == nil {
		return nil
	}
	builtin := metrics.NewRegistry()
	metrics.RegisterBuiltinMetrics(builtin)
	return slices.DeleteFunc(registry.All(), func(metric *metrics.Metric) bool {
		return metric.Type != metrics.Counter || builtin.Get(metric.Name) != nil
	})
}
