package link

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

func TestMeasureSeesTheLatencySet(t *testing.T) {
	client := startToxiproxy(t)
	l := addLink(t, client, "client-primary", listen(t, answerQueries))
	probe := NewProbe("127.0.0.1", l)
	defer probe.Close()
	for _, ms := range []float64{0, 0.5, 5, 30} {
		testkit.OK(t, client.Set(t.Context(), l.Name, Settings{LatencyMS: ms}))
		got, err := probe.RoundTrip(t.Context())
		testkit.OK(t, err)
		if got.Median < time.Duration(ms*float64(time.Millisecond)) || got.Samples < 3 {
			t.Errorf("set %g ms, measured %+v", ms, got)
		}
	}
}

func TestRowSaysWhyThereIsNoRoundTrip(t *testing.T) {
	client := startToxiproxy(t)
	ctx := t.Context()
	links := []topology.Link{
		addLink(t, client, "client-primary", listen(t, answerQueries)),
		addLink(t, client, "client-standby", "127.0.0.1:1"),
		addLink(t, client, "client-pgpool", listen(t, answerQueries)),
		{Name: "client-missing", Listen: "127.0.0.1:2", Upstream: "127.0.0.1:3"},
	}
	testkit.OK(t, client.Cut(ctx, "client-pgpool"))
	odd := toxic("odd", "slicer", "upstream", map[string]any{"average_size": 100.0, "size_variation": 1.0})
	testkit.OK(t, client.addToxic(ctx, "client-primary", odd))
	l := commandOver(t, client, links...)
	rows := readRows(t, l)
	want := []struct{ set, problem string }{
		{"odd", ""},
		{"-", "unreachable: connection closed; is 127.0.0.1 up?"},
		{"cut", "cut"},
		{"?", "missing: toxiproxy has no link client-missing: 'scripts/latency off client-missing' makes it anew"},
	}
	for i, w := range want {
		if rows[i].set != w.set || !strings.HasPrefix(rows[i].Problem, w.problem) ||
			(rows[i].RoundTripMS == nil) != (w.problem != "") {
			t.Errorf("%s: got %+v; want %q, %q", rows[i].Link, rows[i], w.set, w.problem)
		}
	}
	quiet := addLink(t, client, "client-quiet", listen(t, silent))
	soon, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := NewProbe("127.0.0.1", quiet).Sample(soon); err == nil ||
		session.Reason(err, "quiet") != "no answer in time" {
		t.Errorf("a server that says nothing: %v", err)
	}
}

func TestAskedInWords(t *testing.T) {
	cases := []struct {
		name string
		p    Proxy
		want string
	}{
		{"nothing", Proxy{Enabled: true}, "0 ms"},
		{"cut", Proxy{}, "cut"},
		{"latency", Proxy{Enabled: true, Toxics: Settings{LatencyMS: 10}.toxics()}, "10 ms"},
		{"cut with latency", Proxy{Toxics: Settings{LatencyMS: 10}.toxics()}, "cut, 10 ms"},
		{"all", Proxy{Enabled: true, Toxics: Settings{10, 2, 1000, 1000}.toxics()}, "10 ms ±2, 1000 KB/s"},
		{"uneven", Proxy{Enabled: true, Toxics: Settings{630, 0, 2266, 422}.toxics()}, "630 ms, 2266 KB/s down, 422 KB/s up"},
		{"a sum", Proxy{Enabled: true, Toxics: []Toxic{latency("a", "upstream", 5), latency("b", "downstream", 6)}}, "11 ms"},
		{"now and then", Proxy{Enabled: true, Toxics: []Toxic{{Name: "a", Type: "latency", Toxicity: 0.25,
			Attributes: map[string]any{"latency": 5.0}}}}, "5 ms and a on 25 % of connections"},
		{"no bandwidth", with("slow", "bandwidth", map[string]any{"rate": 0.0}), "slow of 0 KB/s"},
		{"a latency of nothing", with("mine", "latency", map[string]any{"latency": 0.0, "jitter": 0.0}), "mine of 0 ms"},
		{"jitter alone", with("mine", "latency", map[string]any{"latency": 0.0, "jitter": 3.0}), "0 ms ±3"},
		{"a timeout of 0: until it is taken off", with("mine", "timeout", map[string]any{"timeout": 0.0}), "mine"},
		{"cut, with a fault", Proxy{Toxics: []Toxic{toxic("mine", "limit_data", "upstream", nil)}}, "cut and mine"},
	}
	for _, c := range cases {
		if got := c.p.Describe(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// with is a link with one toxic on it.
func with(name, kind string, attributes map[string]any) Proxy {
	return Proxy{Enabled: true, Toxics: []Toxic{toxic(name, kind, "downstream", attributes)}}
}

// commandOver is `lab latency` over those links.
func commandOver(t *testing.T, client *Client, links ...topology.Link) *latencyCommand {
	t.Helper()
	for _, l := range links {
		if !slices.Contains(client.links, l.Name) {
			client.links = append(client.links, l.Name)
		}
	}
	return &latencyCommand{Switch: &Switch{Client: client}, host: "127.0.0.1", set: &topology.Set{Links: links}}
}

func readRows(t *testing.T, l *latencyCommand) []Row {
	t.Helper()
	now, unread, err := l.Read(t.Context())
	testkit.OK(t, err)
	return l.rows(t.Context(), l.set.LinkNames(), now, unread)
}
