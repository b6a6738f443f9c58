// Package pg is k6/x/pg, PostgreSQL for k6: clients and pools whose connects
// and statements become k6 metrics in milliseconds with microsecond resolution.
// It is built on pgconn, the protocol layer of pgx.
package pg

import (
	"context"
	"errors"
	"fmt"
	"reflect"
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
	addresses addressBook
	configs   sync.Map // *pgconn.Config by dsn and password
	guard     guard
	pools     sync.Map // by their options
	begun     sync.Map // of the connects that have begun
	errors    errorTally
	phases    phases
	fixed     fixedIterations
	slots     slots
	pacers    pacers
	watching  sync.Once
	registry  atomic.Pointer[metrics.Registry]

	mu    sync.Mutex
	users []*instance // VUs that have tag sets
}

// New returns a Module that no VU uses yet.
func New() *Module {
	m := &Module{}
	m.phases.patience = patience
	m.fixed = fixedIterations{phases: &m.phases}
	m.slots = slots{phases: &m.phases}
	return m
}

// instance is what one VU sees of the module.
type instance struct {
	*Module
	vu      modules.VU
	metrics *clientMetrics
	exports modules.Exports
	tagSets []*tagSet
	settled time.Time              // when the tag sets were last settled
	ended   time.Time              // when the VU's last statement, connect or the like ended
	waiting metrics.Samples        // for k6 to take them
	warning atomic.Pointer[string] // the last of a server to this VU's own clients, in the attempt under way

	side      int  // of the VU in slots, 0 in all other tests
	takesPart bool // in what is measured

	iterates bool  // the script says what an iteration is
	trips    int64 // of the iteration under way

	under   context.Context // of the VU's iteration that limited belongs to; nil where the VU takes no part
	limited context.Context // ends with it, or when nothing is measured any more
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

	i := &instance{Module: m, vu: vu, metrics: registered}
	named := map[string]any{
		"client":          i.newClient,
		"pool":            i.newPool,
		"window":          i.newWindow,
		"fixedIterations": i.newFixedIterations,
		"slots":           i.newSlots,
		"pace":            i.newPace,
		"iterations":      i.newIterations,
		"phase":           i.phase,
		"seed":            i.seed,
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

// options reads a JavaScript object of options into target, a struct, by its js tags; one that is undefined is one that
// isn't given. Unknown names are errors: a misspelt option would silently change what is measured.
func (i *instance) options(call string, value sobek.Value, target any) {
	known := optionNames(reflect.TypeOf(target).Elem())
	object, ok := value.(*sobek.Object)
	if !ok {
		hint := ""
		if slices.Contains(known, "dsn") {
			hint = fmt.Sprintf(": pg.%s({ dsn: 'postgres://...' })", call)
		}
		i.throw(fmt.Errorf("%s needs an object of options%s", call, hint))
	}
	given := i.vu.Runtime().NewObject()
	for _, key := range object.Keys() {
		if !slices.Contains(known, key) {
			i.throw(fmt.Errorf("%s has no option %q; it knows %q", call, key, known))
		}
		if option := object.Get(key); !sobek.IsUndefined(option) {
			i.define(given, key, option)
		}
	}
	if err := i.vu.Runtime().ExportTo(given, target); err != nil {
		i.throw(fmt.Errorf("%s: read the options: %w", call, err))
	}
}

// optionNames are the options that a struct has, those of embedded ones included.
func optionNames(of reflect.Type) (names []string) {
	for _, field := range reflect.VisibleFields(of) {
		if name := field.Tag.Get("js"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// define sets a property that a fresh object can't refuse.
func (i *instance) define(object *sobek.Object, name string, value any) {
	if err := object.Set(name, value); err != nil {
		i.throw(err)
	}
}

// errNotConnected is what a statement without a connection reports.
var errNotConnected = errors.New("not connected: call connect() first, and again after a connection was dropped")
