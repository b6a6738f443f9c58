package console

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"pooler-lab/internal/link"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
)

// repository is where compose.yaml and configs/ are.
const repository = "../.."

// TestMain runs many tests at a time: they wait for the console's seconds far more than they work. Nothing is on that
// needs a profile, whatever lab they run beside.
func TestMain(m *testing.M) {
	flag.Parse()
	os.Unsetenv("COMPOSE_PROFILES")
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// A bench is a console with a real toxiproxy, and stand-ins for what takes containers.
type bench struct {
	*Console
	t         *testing.T
	server    *httptest.Server
	toxiproxy *link.Client
	source    *source
	node      *standInNode
}

// newBench makes a console that has begun, with an empty results/ and its k6 and lab programs out of reach.
func newBench(t *testing.T, change func(*bench)) *bench {
	t.Helper()
	set, err := topology.Load(repository)
	if err != nil {
		t.Fatal(err)
	}
	presets, err := link.LoadPresets(repository)
	if err != nil {
		t.Fatal(err)
	}
	b := startBench(t)
	b.toxiproxy, b.node = startToxiproxy(t, set), &standInNode{}
	links, err := link.NewSwitch(set, b.toxiproxy)
	if err != nil {
		t.Fatal(err)
	}
	b.source = &source{
		Set:       set,
		Presets:   presets,
		Links:     links,
		K6:        "/nowhere/k6",
		Lab:       "/nowhere/lab",
		Probe:     func(l topology.Link) LinkProbe { return standInProbe{b.toxiproxy, l.Name} },
		Nodes:     map[string]NodeProbe{"primary": b.node},
		Scale:     func(context.Context) (int, error) { return 1, nil },
		CloseIdle: func(context.Context) {},
	}
	if change != nil {
		change(b)
	}
	ctx, stop := context.WithCancel(t.Context())
	b.begin(ctx, b.source)
	t.Cleanup(func() { stop(); b.running.Wait() })
	return b
}

// startBench serves a console that has not begun.
func startBench(t *testing.T) *bench {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"results", "k6/lessons"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{t: t, server: httptest.NewUnstartedServer(nil)}
	b.Console = newConsole(root, []string{b.server.Listener.Addr().String()}, io.Discard)
	b.server.Config.Handler = b.handler()
	b.server.Start()
	t.Cleanup(func() { b.server.CloseClientConnections(); b.server.Close() })
	return b
}

// startToxiproxy runs a toxiproxy in this process that has the lab's links.
func startToxiproxy(t *testing.T, set *topology.Set) *link.Client {
	t.Helper()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	api := httptest.NewServer(server.Routes())
	t.Cleanup(func() { api.Close(); _ = server.Collection.Clear() })
	for i, l := range set.Links {
		// On an address that no connection of a test beside this one comes from: while a link is cut, its port is free.
		body := `{"name": "` + l.Name + `", "listen": "127.0.0.2:0", "upstream": "` + l.Upstream + `", "enabled": true}`
		response, err := http.Post(api.URL+"/proxies", "application/json", strings.NewReader(body))
		if err != nil || response.StatusCode != http.StatusCreated {
			t.Fatalf("make link %s: %v, %v", l.Name, err, response)
		}
		if err := json.NewDecoder(response.Body).Decode(&set.Links[i]); err != nil { // where it listens
			t.Fatal(err)
		}
		response.Body.Close()
	}
	return link.New(api.URL, set.LinkNames()...)
}

// at says how far what is under way is, as 'lab run' does.
func (b *bench) at(step result.Progress) {
	b.t.Helper()
	text, err := json.Marshal(step)
	if err == nil {
		err = shared.WriteFile(filepath.Join(b.results(), ".step"), text)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// hold has something measure until free is called.
func (b *bench) hold(what string) (free func()) {
	b.t.Helper()
	free, err := result.Hold(b.results(), what)
	if err != nil {
		b.t.Fatal(err)
	}
	return free
}

// get asks for a page or figures and returns what comes.
func (b *bench) get(address string) (status int, body string) {
	b.t.Helper()
	response, body := b.ask(http.MethodGet, address, "")
	return response.StatusCode, body
}

// post posts as the console's own pages do.
func (b *bench) post(address, body string) (status int, said string) {
	b.t.Helper()
	response, said := b.ask(http.MethodPost, address, body)
	return response.StatusCode, said
}

// ask asks as the console's own pages do.
func (b *bench) ask(method, address, body string) (response *http.Response, said string) {
	b.t.Helper()
	request, err := http.NewRequest(method, b.server.URL+address, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	request.Header.Set("Origin", b.server.URL)
	response, err = http.DefaultClient.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return response, string(text)
}

// A view is the state as /api/state tells it.
type view struct{ State }

// state asks for the state.
func (b *bench) state() view {
	b.t.Helper()
	_, text := b.get("/api/state")
	var s view
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		b.t.Fatalf("%v in %s", err, text)
	}
	return s
}

func (v view) link(name string) Link {
	i := slices.IndexFunc(v.Links, func(l Link) bool { return l.Name == name })
	return v.Links[i]
}

func (v view) node(name string) Node {
	i := slices.IndexFunc(v.Nodes, func(n Node) bool { return n.Name == name })
	return v.Nodes[i]
}

// standInProbe measures what the link is set to, and a millisecond.
type standInProbe struct {
	toxiproxy *link.Client
	link      string
}

func (p standInProbe) Sample(ctx context.Context) (time.Duration, error) {
	now, err := p.toxiproxy.Proxy(ctx, p.link)
	return time.Duration((now.Settings().LatencyMS + 1) * float64(time.Millisecond)), err
}
func (standInProbe) Close() {}

// standInNode is the primary, which can be away.
type standInNode struct {
	away  atomic.Bool
	looks atomic.Int32
}

func (n *standInNode) Close() {}

func (n *standInNode) Ask(context.Context) (func(map[string]*Node), error) {
	n.looks.Add(1)
	if n.away.Load() {
		return nil, errors.New("nobody is there")
	}
	return func(nodes map[string]*Node) { nodes["primary"].Role = "primary" }, nil
}

// standInProgram writes a script that poses as k6 or as the lab's own program, and returns where it is. It notes the
// signals that it gets, one a line, in the file returned beside it, and its arguments first.
func standInProgram(t *testing.T, name, body string) (program, notes string) {
	t.Helper()
	dir := t.TempDir()
	program, notes = filepath.Join(dir, name), filepath.Join(dir, "notes")
	script := "#!/bin/sh\nnote() { echo \"$*\" >>'" + notes + "'; }\nnote \"$@\"\n" + body
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return program, notes
}

// noted is what a stand-in has written.
func noted(t *testing.T, notes string) string {
	t.Helper()
	text, err := os.ReadFile(notes)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// What can't be done is refused, with what would be right.
func TestRefusals(t *testing.T) {
	t.Parallel()
	b, notes := newLessonBench(t, standInRun)
	const primary, load, lesson = "/api/links/client-primary", "/api/load", "/api/lessons/00-tour/run"
	cases := []struct {
		address, body string
		status        int
		says          string
	}{
		{"/api/links/client-primry", `{"latency_ms": 1}`, 404, "did you mean client-primary?"},
		{primary, `{"latency_ms": -1}`, 400, "is negative"},
		{primary, `{"latency_ms": 600001}`, 400, "more than 10 minutes"},
		{primary, `{"latency_ms": 5, "jitter_ms": 6}`, 400, "jitter of 6 ms is more than the latency of 5 ms"},
		{primary, `{"latency_ms": 0.0005}`, 400, "isn't a whole number of microseconds"},
		{primary, `{"latency_ms": "10"}`, 400, ": latency_ms has to be a number, not a string"},
		{primary, `{"latency": 1}`, 400, "unknown field"},
		{primary, `{"down_kbps": -2}`, 400, "whole KB/s"},
		{primary, `"latency_ms": 1`, 400, "isn't understood"},
		{primary, `[` + strings.Repeat("1,", mostBody), 400, "read the request"},
		{primary + "/cutt", `{}`, 404, "there is nothing at"},
		{"/api/links", `{}`, 404, "there is nothing at /api/links"},

		{load, `{"workload": "selct", "clients": 3, "paths": ["direct"]}`, 400, "did you mean select?"},
		{load, `{"workload": "select", "clients": 0, "paths": ["direct"]}`, 400, "from 1 to 50"},
		{load, `{"workload": "select", "clients": 51, "paths": ["direct"]}`, 400, "from 1 to 50"},
		{load, `{"workload": "select", "clients": 3, "paths": []}`, 400, "name at least one"},
		{load, `{"workload": "select", "clients": 3, "paths": ["direkt"]}`, 400, "did you mean direct?"},
		{load, `{"workload": "select", "clients": 3, "paths": ["direct", "direct"]}`, 400, "stands there twice"},
		{load, `{"workload": "select", "clients": 3, "paths": ["socket"]}`, 400, "it has no link"},
		{load, `{"workload": "select", "clients": 3, "paths": ["yugabyte"]}`, 400, "can't be taken"},
		{load, `{"workload": "tpcb", "clients": 3, "paths": ["standby"]}`, 400, "only reads"},
		{load, `{"workload": "select", "clients": 3, "paths": ["direct"], "loop": "opn"}`, 400, "did you mean open?"},

		{lesson, `{"prediction": {"path": "direkt"}}`, 400, "doesn't measure a path"},
		{lesson, `{"prediction": {"factor": 0}}`, 400, "a number above 0"},
		{lesson, `{"prediction": {"comparisons": {"near": 1}}}`, 400, "compares nothing called"},
		{lesson, `{"prediction": {"comparisons": {"far": -1}}}`, 400, "a number above 0"},
		{lesson, `{"prediction": {"words": "` + strings.Repeat("ü", 501) + `"}}`, 400, "keep to 500"},
		{"/api/lessons/00-tuor/run", `{}`, 404, "did you mean 00-tour?"},
		{"/api/lessons/..%2Fsecret/run", `{}`, 404, "there is no lesson"},
		{"/api/lessons/cancel", ``, 409, "no lesson is running"},
	}
	for _, c := range cases {
		if status, said := b.post(c.address, c.body); status != c.status || !strings.Contains(said, c.says) {
			t.Errorf("%s %.80s: %d %s\nwanted %d, %q", c.address, c.body, status, said, c.status, c.says)
		}
	}
	s := b.state()
	if told := noted(t, notes); told != "" || s.link("client-primary").LatencyMS != 0 || s.Load.State != LoadOff {
		t.Errorf("something was done: %q, %+v", told, s)
	}
}
