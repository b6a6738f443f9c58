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

// finish cuts the slot under way, reports what is still in the tag sets, and closes all
// connections. It returns when the servers have closed them too, so that their
// statistics are complete, or after goodbye.
func (m *Module) finish(now time.Time) {
	if m.phases.is("slots") {
		close(m.slots.stop)
		<-m.slots.ended
	}
	m.phases.mu.Lock()
	m.phases.cut(now)
	if m.phases.warming != nil {
		m.phases.end() // of a window that never opened, too
	}
	m.phases.mu.Unlock()
	m.settle(now)
	m.reportDropped(now)
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

// reportDropped pushes how many iterations of an open loop were due in the measured slot and didn't begin.
func (m *Module) reportDropped(now time.Time) {
	measured := m.phases.current.Load()
	if measured == nil || m.phases.is("slots") {
		return
	}
	m.pacers.mu.Lock()
	defer m.pacers.mu.Unlock()
	for _, p := range m.pacers.list {
		p.push(sample(p.metrics.Dropped, p.at(p.tagSet, phaseMeasure), now, float64(p.dropped(measured.to))))
	}
}

// Ended is what the module knows of the test that has ended. An output adds what it has seen of each side.
func Ended() *summary.Test { return module.ended() }

// ended is what isn't in samples, of one cell or of two whose clients have alternated.
func (m *Module) ended() *summary.Test {
	test, sides := &summary.Test{}, 1
	switch {
	case m.phases.is("slots"):
		test, sides = m.slots.pair(), summary.Sides
	case m.phases.is("window"):
		sides = m.phases.given.(windowOptions).Cells
	}
	for side := range sides {
		test.Sides = append(test.Sides, &summary.Summary{Ending: m.ending(side)})
	}
	return test
}

// ending is what isn't in samples of a side: the window's moments, how fixed iterations ended, and the errors by phase
// and code.
func (m *Module) ending(side int) summary.Ending {
	m.phases.mu.Lock()
	defer m.phases.mu.Unlock()
	ending := summary.Ending{Unopened: m.phases.unopened(), Window: m.phases.window(side)}
	ending.Finish = m.fixed.outcome(ending.Window)
	ending.Errors = m.errors.list(side)
	return ending
}

// Group is what the module knows of a group that is complete, and the file to which it belongs: all but the figures.
func Group(number int) (group summary.Group, file string) {
	s := &module.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.groups[number-1], s.options.Groups
}

// Counters are the counters of the module and of the script, without k6's own: an output that is told of no value can't
// know them.
func Counters() []*metrics.Metric {
	registry := module.registry.Load()
	if registry == nil {
		return nil
	}
	builtin := metrics.NewRegistry()
	metrics.RegisterBuiltinMetrics(builtin)
	return slices.DeleteFunc(registry.All(), func(metric *metrics.Metric) bool {
		return metric.Type != metrics.Counter || builtin.Get(metric.Name) != nil
	})
}
