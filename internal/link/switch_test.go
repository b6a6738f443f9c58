package link

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"pooler-lab/internal/testkit"
	"pooler-lab/internal/topology"
)

func TestReset(t *testing.T) {
	client, ctx := startToxiproxy(t), t.Context()
	l := addLink(t, client, "client-primary", listen(t, answerQueries))
	s, probe := &Switch{client: client}, NewProbe("127.0.0.1", l)
	defer probe.Close()
	if _, err := probe.Sample(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Reset(ctx, l.Name); err != nil {
		t.Fatal(err)
	}
	if _, err := probe.Sample(ctx); err == nil {
		t.Error("a connection outlived a reset")
	}
	if _, err := probe.Sample(ctx); err != nil {
		t.Errorf("no new connection after a reset: %v", err)
	}
	if err := s.Cut(ctx, l.Name); err != nil {
		t.Fatal(err)
	}
	if err := s.Reset(ctx, l.Name); err != nil {
		t.Fatal(err)
	}
	if now, err := s.Proxy(ctx, l.Name); err != nil || now.Describe() != "cut" {
		t.Errorf("a reset has ended the cut: %+v, %v", now, err)
	}
}

// A standbyStandIn stands in for a standby that streams at once from where it is told to.
type standbyStandIn struct {
	mu   sync.Mutex
	info conninfo
}

func (s *standbyStandIn) serve(conn net.Conn) {
	testkit.Answer(conn, func(sql string) (values []string, ok bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if text, found := strings.CutPrefix(sql, "ALTER SYSTEM SET primary_conninfo TO '"); found {
			s.info, _ = parseConninfo(strings.TrimSuffix(text, "'"))
			return nil, true
		}
		if strings.Contains(sql, "pg_stat_wal_receiver") {
			now := s.info.address()
			return []string{"streaming from " + now.host + ":" + now.port}, true
		}
		return []string{s.info.String()}, true
	})
}

func (s *standbyStandIn) host() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info.address().host
}

// newReplicating makes a switch whose standby replicates straight.
func newReplicating(t *testing.T) (*Switch, *standbyStandIn) {
	t.Helper()
	standby := &standbyStandIn{info: conninfo{{"host", "primary"}, {"port", "5432"}, {"user", "replicator"}}}
	host, port, _ := net.SplitHostPort(listen(t, standby.serve))
	client := startToxiproxy(t)
	l := addLink(t, client, ReplicationLink, "primary:5432")
	s, err := NewSwitch(&topology.Set{Links: []topology.Link{l}}, client)
	if err != nil {
		t.Fatal(err)
	}
	s.replication.standby = fmt.Sprintf("host=%s port=%s user=lab sslmode=disable", host, port)
	return s, standby
}

// Replication is on its link while something is on that or it is cut, whatever brought it there.
func TestReplicationFollowsItsLink(t *testing.T) {
	s, standby := newReplicating(t)
	ctx := t.Context()
	set := func(settings Settings) func() error {
		return func() error { return s.Set(ctx, ReplicationLink, settings) }
	}
	off := func() error { return s.Off(ctx, ReplicationLink) }
	cut := func() error { return s.Cut(ctx, ReplicationLink) }
	restore := func() error { return s.Restore(ctx, ReplicationLink) }
	const straight, over = "primary", "127.0.0.1" // hosts
	for i, step := range []struct {
		change func() error
		link   string
		host   string
	}{
		{set(Settings{}), "0 ms", straight},
		{set(Settings{LatencyMS: 10}), "10 ms", over},
		{set(Settings{DownKBps: 500}), "500 KB/s down", over},
		{set(Settings{}), "0 ms", straight},
		{cut, "cut", over},
		{set(Settings{}), "cut", over},
		{restore, "0 ms", straight},
		{set(Settings{LatencyMS: 20}), "20 ms", over},
		{cut, "cut, 20 ms", over},
		{restore, "20 ms", over},
		{cut, "cut, 20 ms", over},
		{off, "0 ms", straight},
	} {
		if err := step.change(); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		now, err := s.Proxy(ctx, ReplicationLink)
		if err != nil || now.Describe() != step.link || standby.host() != step.host {
			t.Errorf("step %d: the link is %s (%v), replication comes from %s; wanted %s, %s",
				i, now.Describe(), err, standby.host(), step.link, step.host)
		}
	}
}

// A standby that is away doesn't keep its link from being set. The error says what is left to do.
func TestLinkIsSetWhileTheStandbyIsAway(t *testing.T) {
	s, _ := newReplicating(t)
	s.replication.standby = "host=127.0.0.1 port=1 user=lab sslmode=disable"
	for _, settings := range []Settings{{LatencyMS: 10}, {}} {
		err := s.Set(t.Context(), ReplicationLink, settings)
		if err == nil || !strings.Contains(err.Error(), "the standby's replication couldn't be ") {
			t.Errorf("%+v: %v", settings, err)
		}
		if now, err := s.Proxy(t.Context(), ReplicationLink); err != nil || now.Settings() != settings {
			t.Errorf("the link is %+v, %v; wanted %+v", now, err, settings)
		}
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
		"host='": "unknown: it isn't of the form keyword=value",
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
