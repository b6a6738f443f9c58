package link

import (
	"testing"
	"time"

	"pooler-lab/internal/topology"
)

func TestSwitchSetsCutsAndResets(t *testing.T) {
	client := startToxiproxy(t)
	links := []topology.Link{
		addLink(t, client, "client-primary", listen(t, answerQueries)),
		addLink(t, client, ReplicationLink, "primary:5432"),
	}
	s, err := NewSwitch(&topology.Set{Links: links}, client)
	if err != nil {
		t.Fatal(err)
	}
	ctx, probe := t.Context(), NewProbe("127.0.0.1", links[0])
	defer probe.Close()
	if err := s.Set(ctx, Settings{LatencyMS: 20}, "client-primary"); err != nil {
		t.Fatal(err)
	}
	if took, err := probe.RoundTrip(ctx, Settings{LatencyMS: 20}); err != nil || took < 20*time.Millisecond {
		t.Errorf("asked 20 ms, measured %v, %v", took, err)
	}
	for _, asked := range []Settings{{LatencyMS: mostLatency}, {}} {
		if err := s.Set(ctx, asked, "client-primary"); err != nil {
			t.Fatal(err)
		}
	}
	if took, err := probe.RoundTrip(ctx, Settings{}); err != nil || took <= 0 {
		t.Errorf("with nothing set, measured %v, %v", took, err)
	}
	if err := s.Reset(ctx, "client-primary"); err != nil {
		t.Fatal(err)
	}
	if _, err := probe.RoundTrip(ctx, Settings{}); err == nil {
		t.Error("a connection outlived a reset")
	}
	if _, err := probe.RoundTrip(ctx, Settings{}); err != nil {
		t.Errorf("no new connection after a reset: %v", err)
	}
	if err := s.Cut(ctx, "client-primary"); err != nil {
		t.Fatal(err)
	}
	if err := s.Reset(ctx, "client-primary"); err != nil {
		t.Fatal(err)
	}
	if now, _, err := s.Read(ctx); err != nil || !now.Cut("client-primary") {
		t.Errorf("a reset has ended the cut: %+v, %v", now, err)
	}
}

func TestReplicates(t *testing.T) {
	l := topology.Link{Name: ReplicationLink, Listen: "0.0.0.0:15010", Upstream: "primary:5432"}
	s, err := NewSwitch(&topology.Set{Links: []topology.Link{l}}, New("http://toxiproxy:8474"))
	if err != nil {
		t.Fatal(err)
	}
	for conninfo, want := range map[string]string{
		"host=primary port=5432 user=replicator":    "straight",
		"host=toxiproxy port=15010 user=replicator": "over the link",
		"host='": "unknown: a quote isn't closed",
	} {
		if got := s.Replicates(conninfo); got != want {
			t.Errorf("%s: %q, wanted %q", conninfo, got, want)
		}
	}
}

func TestCheckOfSettings(t *testing.T) {
	for _, right := range []Settings{{}, {LatencyMS: 600000}, {LatencyMS: 5, JitterMS: 5, DownKBps: 1, UpKBps: fastest}} {
		if err := right.Check(); err != nil {
			t.Errorf("%+v: %v", right, err)
		}
	}
	for _, wrong := range []Settings{
		{LatencyMS: -1},
		{LatencyMS: 600001},
		{JitterMS: 1},
		{LatencyMS: 1, JitterMS: -1},
		{DownKBps: -1},
		{UpKBps: fastest + 1},
	} {
		if wrong.Check() == nil {
			t.Errorf("%+v was let through", wrong)
		}
	}
}
