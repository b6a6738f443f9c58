package pg

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
)

// script is a VU that runs JavaScript with the module as the constant pg.
type script struct {
	*modulestest.Runtime
	t       *testing.T
	module  *Module
	samples chan metrics.SampleContainer
	tags    *lib.VUStateTags
}

// newScript returns a VU of the module in the init context. Its function trying returns what work threw, or else what
// work returned.
func newScript(t *testing.T, module *Module) *script {
	t.Helper()
	runtime := modulestest.NewRuntime(t)
	if err := runtime.SetupModuleSystem(map[string]any{"k6/x/pg": module}, nil, nil); err != nil {
		t.Fatal(err)
	}
	s := &script{
		Runtime: runtime, t: t, module: module,
		samples: make(chan metrics.SampleContainer, 10000),
		tags:    lib.NewVUStateTags(runtime.VU.InitEnvField.Registry.RootTagSet()),
	}
	s.run(`const pg = require('k6/x/pg').default;
		const trying = (work) => { try { return work() } catch (e) { return e.code + ' ' + e.message } };`)
	return s
}

// started moves the VU from the init context into the test.
func (s *script) started() *script {
	s.MoveToVUContext(&lib.State{Samples: s.samples, Tags: s.tags})
	return s
}

// set makes a value a global of the script.
func (s *script) set(name string, value any) {
	s.t.Helper()
	if err := s.VU.Runtime().Set(name, value); err != nil {
		s.t.Fatal(err)
	}
}

// try runs code and returns its last value or what it threw.
func (s *script) try(code string) (sobek.Value, error) {
	return s.VU.Runtime().RunString(code)
}

// run runs code and returns its last value as text.
func (s *script) run(code string) string {
	s.t.Helper()
	value, err := s.try(code)
	if err != nil {
		s.t.Fatalf("%s\nthrew %v", code, err)
	}
	return value.String()
}

// gives wants code to come to a text.
func (s *script) gives(code, want string) {
	s.t.Helper()
	if got := s.run(code); got != want {
		s.t.Errorf("%s\ncame to %q, not %q", code, got, want)
	}
}

// throws wants an expression to throw an error whose code and message hold all of these.
func (s *script) throws(expression string, parts ...string) {
	s.t.Helper()
	got := s.run(`trying(() => ` + expression + `)`)
	for _, part := range parts {
		if !strings.Contains(got, part) {
			s.t.Errorf("%s\ncame to %q, which lacks %q", expression, got, part)
		}
	}
}

// measured returns what the VU has pushed since the last call: the values by
// metric and phase, as in pg_statement or pg_statement{measure}.
func (s *script) measured() map[string][]float64 {
	s.module.settle(time.Now())
	values := map[string][]float64{}
	for _, container := range metrics.GetBufferedSamples(s.samples) {
		for _, sample := range container.GetSamples() {
			name := sample.Metric.Name
			if phase, ok := sample.Tags.Get("phase"); ok {
				name += "{" + phase + "}"
			}
			values[name] = append(values[name], sample.Value)
		}
	}
	return values
}

// sum adds up a counter's values.
func sum(values []float64) int {
	total := 0.0
	for _, value := range values {
		total += value
	}
	return int(total)
}

// connected returns a script in the test whose client is connected to the
// server that LAB_TEST_DSN names.
func connected(t *testing.T, protocol string) *script {
	t.Helper()
	return connectedTo(t, testDSN(t), protocol)
}

// connectedTo returns a script whose client is connected where dsn says.
func connectedTo(t *testing.T, dsn, protocol string) *script {
	t.Helper()
	s := newScript(t, New()).started()
	s.set("dsn", dsn)
	s.set("protocol", protocol)
	s.run(`const client = pg.client({ dsn, protocol, path: 'direct' }); client.connect();`)
	t.Cleanup(func() { _, _ = s.try(`client.close()`) })
	return s
}

// together runs code in several VUs of one module at once and returns them. They have sleep(milliseconds).
func together(t *testing.T, module *Module, setting string, code ...string) []*script {
	t.Helper()
	vus := make([]*script, len(code))
	var through sync.WaitGroup
	for at := range code {
		vus[at] = newScript(t, module)
		vus[at].set("sleep", func(ms float64) { time.Sleep(milliseconds(ms)) })
		vus[at].run(setting)
		vus[at].started()
		through.Go(func() {
			if _, err := vus[at].try(code[at]); err != nil {
				t.Error(err)
			}
		})
	}
	through.Wait()
	return vus
}

// inBubble runs a test whose clock goes on when all its goroutines wait, and no sooner: what they do takes no time.
func inBubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}
