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
	"sync"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"pooler-lab/internal/link"
	"pooler-lab/internal/result"
	"pooler-lab/internal/run"
	"pooler-lab/internal/testkit"
	"pooler-lab/internal/topology"
)

// repository is where compose.yaml and configs/ are.
const repository = "../.."

// TestMain runs many tests at a time: they wait for the console's seconds far more than they work.
func TestMain(m *testing.M) {
	flag.Parse()
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
	source    *Source
	node      *standInNode

	mu       sync.Mutex
	underWay string
}

// newBench makes a console that is ready, with an empty results/ and its k6 and lab programs out of reach.
func newBench(t *testing.T, change func(*bench)) *bench {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"results", "k6/lessons"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	set, err := topology.Load(repository)
	if err != nil {
		t.Fatal(err)
	}
	presets, err := link.LoadPresets(repository)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, toxiproxy: startToxiproxy(t, set), node: &standInNode{name: "primary"}}
	links, err := link.NewSwitch(set, b.toxiproxy)
	if err != nil {
		t.Fatal(err)
	}
	b.source = &Source{
		Set:       set,
		Presets:   presets,
		Links:     links,
		K6:        "/nowhere/k6",
		Lab:       "/nowhere/lab",
		UnderWay:  b.holder,
		Step:      func() (run.Step, bool) { return run.LastStep(filepath.Join(root, "results")) },
		Probe:     func(l topology.Link) LinkProbe { return standInProbe{b.toxiproxy, l.Name} },
		Nodes:     []NodeProbe{b.node},
		Scale:     func(context.Context) (int, error) { return 1, nil },
		CloseIdle: func(context.Context) {},
	}
	b.Console = newConsole(t, root, &b.server)
	if change != nil {
		change(b)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { b.Ready(ctx, b.source); close(ended) }()
	t.Cleanup(func() { stop(); <-ended })
	testkit.Until(b.t, "ready", func() bool { p, _ := b.ready(); return p != nil })
	return b
}

// newConsole makes one that isn't ready, and serves it.
func newConsole(t *testing.T, root string, server **httptest.Server) *Console {
	t.Helper()
	chart := filepath.Join(root, "chart.js")
	if err := os.WriteFile(chart, []byte("// a stand-in for the chart library\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	*server = httptest.NewUnstartedServer(nil)
	own := []string{(*server).Listener.Addr().String()}
	c := New(Options{Root: root, Port: "1", Hosts: own, ChartJS: chart, Log: io.Discard})
	(*server).Config.Handler = c.Handler()
	(*server).Start()
	t.Cleanup(func() { (*server).CloseClientConnections(); (*server).Close() })
	return c
}

// startToxiproxy runs a toxiproxy in this process that has the lab's links.
func startToxiproxy(t *testing.T, set *topology.Set) *link.Client {
	t.Helper()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	api := httptest.NewServer(server.Routes())
	t.Cleanup(func() { _ = server.Collection.Clear(); api.Close() })
	for _, l := range set.Links {
		body := `{"name": "` + l.Name + `", "listen": "127.0.0.1:0", "upstream": "127.0.0.1:1", "enabled": true}`
		response, err := http.Post(api.URL+"/proxies", "application/json", strings.NewReader(body))
		if err != nil || response.StatusCode != http.StatusCreated {
			t.Fatalf("make link %s: %v, %v", l.Name, err, response)
		}
		response.Body.Close()
	}
	return link.New(api.URL, set.LinkNames()...)
}

func (b *bench) holder() (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.underWay, b.underWay != ""
}

// at says how far what is under way is, as 'lab run' does.
func (b *bench) at(step run.Step) {
	b.t.Helper()
	text, err := json.Marshal(step)
	if err == nil {
		err = result.WriteFile(filepath.Join(b.results(), ".step"), text)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) hold(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.underWay = what
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
	return time.Duration(now.Settings().LatencyMS+1) * time.Millisecond, err
}
func (standInProbe) Close() {}

// standInNode is a database that can be away.
type standInNode struct {
	name string

	mu    sync.Mutex
	away  bool
	looks int
}

func (n *standInNode) Node() string { return n.name }
func (n *standInNode) Close()       {}

func (n *standInNode) Ask(context.Context) (func(map[string]*Node), error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.looks++
	if n.away {
		return nil, errors.New("nobody is there")
	}
	return func(nodes map[string]*Node) { nodes[n.name].Role = "primary" }, nil
}

func (n *standInNode) goAway(away bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.away = away
}

func (n *standInNode) looked() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.looks
}
