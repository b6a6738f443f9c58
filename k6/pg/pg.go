// Package pg is k6/x/pg, PostgreSQL for k6: clients and pools whose connects
// and statements become k6 metrics in milliseconds with microsecond resolution.
// It is built on pgconn, the protocol layer of pgx.
package pg

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"
)

func init() {
	modules.Register("k6/x/pg", module)
}

// module is the one that scripts import.
var module = New()

// Module is the root of k6/x/pg: what all VUs of one k6 process share.
type Module struct {
	addresses  addressBook
	configs    configs
	guard      guard
	collector  collector
	pools      pools
	begun      sync.Map // of the connects that have begun
	errors     errorTally
	schedule   schedule
	race       race
	slots      slots
	pacers     pacers
	windowUser atomic.Pointer[instance] // of a VU that uses the window
	watching   sync.Once
	registry   atomic.Pointer[metrics.Registry]

	mu    sync.Mutex
	users []*instance // VUs that have tag sets
}

// New returns a Module that no VU uses yet.
func New() *Module {
	m := &Module{}
	m.schedule.patience = patience
	return m
}

// instance is what one VU sees of the module.
type instance struct {
	*Module
	vu      modules.VU
	metrics *clientMetrics
	exports modules.Exports
	tagSets []*tagSet
	settled time.Time       // when the tag sets were last settled
	ended   time.Time       // when the VU's last statement, connect or the like ended
	waiting metrics.Samples // for k6 to take them

	participant *participant // nil unless the VU has a side in a pair

	under   context.Context // of the VU's iteration that limited belongs to; nil without a window
	limited context.Context // ends with it, or when the window has been over for long enough
	release func() bool     // lets go of limited
}

// NewModuleInstance registers the metrics and returns the VU's own instance.
func (m *Module) NewModuleInstance(vu modules.VU) modules.Instance {
	registered, err := registerMetrics(vu.InitEnv().Registry)
	if err != nil {
		common.Throw(vu.Runtime(), fmt.Errorf("register the metrics of k6/x/pg: %w", err))
	}
	m.registry.Store(vu.InitEnv().Registry)
	m.watchEnd(vu)
	m.warnOfFiles(vu, m.collector.another(), mostFiles())

	i := &instance{Module: m, vu: vu, metrics: registered}
	named := map[string]any{
		"client":     i.newClient,
		"pool":       i.newPool,
		"window":     i.newWindow,
		"pace":       i.newPace,
		"seed":       i.seed,
		"race":       i.newRace,
		"slots":      i.newSlots,
		"iterations": i.newIterations,
		"phase":      i.phase,
	}
	i.exports = modules.Exports{Default: named, Named: named}
	return i
}

// Exports returns the functions that a script imports.
func (i *instance) Exports() modules.Exports {
	return i.exports
}

// requireTest throws in the init context, where k6 has no VU, no metrics and
// runs every line once per VU before the test begins.
func (i *instance) requireTest(call string) {
	if i.vu.State() == nil {
		i.throw(fmt.Errorf(
			"%s belongs into the test's functions (setup, default, teardown), not into the init context", call))
	}
}

// throw raises err as a JavaScript exception.
func (i *instance) throw(err error) {
	common.Throw(i.vu.Runtime(), err)
}

// options reads a JavaScript object of options into target by its js tags.
// Unknown names are errors: a misspelt option would silently change what is
// measured.
func (i *instance) options(call string, value sobek.Value, target any, known ...string) {
	object, ok := value.(*sobek.Object)
	if !ok {
		hint := ""
		if slices.Contains(known, "dsn") {
			hint = fmt.Sprintf(": pg.%s({ dsn: 'postgres://...' })", call)
		}
		i.throw(fmt.Errorf("%s needs an object of options%s", call, hint))
	}
	for _, key := range object.Keys() {
		if !slices.Contains(known, key) {
			i.throw(fmt.Errorf("%s has no option %q; it knows %q", call, key, known))
		}
	}
	i.read(call, value, target)
}

// read fills target with options; one that is undefined is one that isn't given.
func (i *instance) read(call string, value sobek.Value, target any) {
	object, given := value.ToObject(i.vu.Runtime()), i.vu.Runtime().NewObject()
	for _, key := range object.Keys() {
		option := object.Get(key)
		if sobek.IsUndefined(option) {
			continue
		}
		if err := given.Set(key, option); err != nil {
			i.throw(fmt.Errorf("%s: read the options: %w", call, err))
		}
	}
	if err := i.vu.Runtime().ExportTo(given, target); err != nil {
		i.throw(fmt.Errorf("%s: read the options: %w", call, err))
	}
}

// errNotConnected is what a statement without a connection reports.
var errNotConnected = errors.New("not connected: call connect() first, and again after a connection was dropped")
