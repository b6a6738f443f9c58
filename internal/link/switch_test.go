package link

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

func TestReset(t *testing.T) {
	client, ctx := startToxiproxy(t), t.Context()
	l := addLink(t, client, "client-primary", listen(t, answerQueries))
	s, probe := &Switch{Client: client}, NewProbe("127.0.0.1", l)
	defer probe.Close()
	if _, err := probe.Sample(ctx); err != nil {
		t.Fatal(err)
	}
	testkit.OK(t, s.Reset(ctx, l.Name))
	if _, err := probe.Sample(ctx); err == nil {
		t.Error("a connection outlived a reset")
	}
	if _, err := probe.Sample(ctx); err != nil {
		t.Errorf("no new connection after a reset: %v", err)
	}
	testkit.OK(t, s.Cut(ctx, l.Name))
	testkit.OK(t, s.Reset(ctx, l.Name))
	if now, err := s.Proxy(ctx, l.Name); err != nil || now.Describe() != "cut" {
		t.Errorf("a reset has ended the cut: %+v, %v", now, err)
	}
}

// A change that was interrupted while the standby moved leaves a bare link, and the standby on it. Putting back what
// was there before moves it back.
func TestPutTakesReplicationOffABareLink(t *testing.T) {
	s, standby := newReplicating(t)
	before, err := s.Snapshot(t.Context())
	testkit.OK(t, err)
	testkit.OK(t, s.moveReplication(t.Context(), true))
	if err := s.Put(t.Context(), before); err != nil || standby.told() != straightConninfo {
		t.Errorf("the standby is told %q, %v", standby.told(), err)
	}
}

// A standbyStandIn stands in for a standby that streams at once from where it is told to.
type standbyStandIn struct {
	mu       sync.Mutex
	conninfo string
}

const straightConninfo = "host=primary port=5432 user=replicator options='-c a=b'"

func (s *standbyStandIn) serve(conn net.Conn) {
	testkit.Serve(conn, func(sql string) (values []string, ok bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if text, found := strings.CutPrefix(sql, "ALTER SYSTEM SET primary_conninfo TO "); found {
			s.conninfo = strings.ReplaceAll(text[1:len(text)-1], "''", "'")
			return nil, true
		}
		if strings.Contains(sql, "pg_stat_wal_receiver") {
			config, err := pgconn.ParseConfig(s.conninfo)
			if err != nil {
				return nil, false
			}
			return []string{fmt.Sprintf("streaming from %s:%d", config.Host, config.Port)}, true
		}
		return []string{s.conninfo}, true
	})
}

// told is the primary_conninfo that it has.
func (s *standbyStandIn) told() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conninfo
}

// newReplicating makes a switch whose standby replicates straight.
func newReplicating(t *testing.T) (*Switch, *standbyStandIn) {
	t.Helper()
	standby := &standbyStandIn{conninfo: straightConninfo}
	host, port, _ := net.SplitHostPort(listen(t, standby.serve))
	client := startToxiproxy(t)
	l := addLink(t, client, ReplicationLink, "primary:5432")
	s, err := NewSwitch(&topology.Set{Links: []topology.Link{l}}, client)
	testkit.OK(t, err)
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
	const straight, over = "straight", "over the link"
	for i, step := range []struct {
		change     func() error
		link       string
		replicates string
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
		if err != nil || now.Describe() != step.link || s.Replicates(standby.told()) != step.replicates {
			t.Errorf("step %d: the link is %s (%v), the standby is told %q; wanted %s, replication %s",
				i, now.Describe(), err, standby.told(), step.link, step.replicates)
		}
	}
	if standby.told() != straightConninfo {
		t.Errorf("the standby was told %q at first, and %q at last", straightConninfo, standby.told())
	}
}

// A standby that is away keeps no link from being set and put back. The error says what is left to do.
func TestLinksAreSetWhileTheStandbyIsAway(t *testing.T) {
	s, _ := newReplicating(t)
	ctx, other := t.Context(), addLink(t, s.Client, "client-primary", listen(t, echo))
	before, err := s.Snapshot(ctx)
	testkit.OK(t, err)
	s.replication.standby = "host=127.0.0.1 port=1 user=lab sslmode=disable"
	const left = "the standby's replication couldn't be "
	for _, settings := range []Settings{{}, {LatencyMS: 10}} {
		if err := s.Set(ctx, ReplicationLink, settings); err == nil || !strings.Contains(err.Error(), left) {
			t.Errorf("%+v: %v", settings, err)
		}
		if now, err := s.Proxy(ctx, ReplicationLink); err != nil || now.Settings() != settings {
			t.Errorf("the link is %+v, %v; wanted %+v", now, err, settings)
		}
	}
	testkit.OK(t, s.Set(ctx, other.Name, Settings{LatencyMS: 5}))
	if err := s.Put(ctx, before); err == nil || !strings.Contains(err.Error(), left) {
		t.Errorf("put back: %v", err)
	}
	if now, err := s.Snapshot(ctx); err != nil || before.Difference(now) != "" {
		t.Errorf("not put back: %s, %v", before.Difference(now), err)
	}
}

// Off makes a link what configs/toxiproxy.json has of it, whatever somebody has made of it.
func TestOffPutsALinkBack(t *testing.T) {
	client, ctx := startToxiproxy(t), t.Context()
	l := addLink(t, client, "client-primary", listen(t, answerQueries))
	s := &Switch{Client: client, set: &topology.Set{Links: []topology.Link{l}}}
	deleted := func() error { return client.do(ctx, http.MethodDelete, "/proxies/client-primary", nil, nil) }
	anew := func(listen, upstream string) error {
		return errors.Join(deleted(),
			client.do(ctx, http.MethodPost, "/proxies",
				map[string]any{"name": l.Name, "listen": listen, "upstream": upstream, "enabled": true}, nil))
	}
	for what, change := range map[string]func() error{
		"deleted":               deleted,
		"led elsewhere":         func() error { return anew(l.Listen, "127.0.0.1:1") },
		"moved to another port": func() error { return anew("127.0.0.1:0", l.Upstream) },
		"cut":                   func() error { return s.Cut(ctx, l.Name) },
	} {
		testkit.OK(t, change())
		if now, err := s.Proxy(ctx, l.Name); what != "cut" && err == nil && Elsewhere(l, now) == "" {
			t.Errorf("%s: it seems to be in its place: %+v", what, now)
		}
		testkit.OK(t, s.Off(ctx, l.Name))
		now, err := s.Proxy(ctx, l.Name)
		if err != nil || Elsewhere(l, now) != "" || !now.Bare() {
			t.Errorf("%s: it is %+v, %v", what, now, err)
		}
		probe := NewProbe("127.0.0.1", l)
		if _, err := probe.Sample(ctx); err != nil {
			t.Errorf("%s: it leads nowhere: %v", what, err)
		}
		probe.Close()
	}
	addLink(t, client, "mine", "127.0.0.1:1")
	if others, err := s.NotOurs(ctx); err != nil || !slices.Equal(others, []string{"mine"}) {
		t.Errorf("not the lab's are %v, %v", others, err)
	}
}

// toxiproxy has [::] where a listener was asked for at 0.0.0.0.
func TestElsewhere(t *testing.T) {
	known := topology.Link{Listen: "0.0.0.0:15001", Upstream: "primary:5432"}
	for _, test := range []struct {
		listen, upstream string
		elsewhere        bool
	}{
		{"[::]:15001", "primary:5432", false}, {"0.0.0.0:15001", "primary:5432", false},
		{"127.0.0.1:15001", "primary:5432", true}, {"[::]:15002", "primary:5432", true},
		{"[::]:15001", "standby:5432", true},
	} {
		if got := Elsewhere(known, Proxy{Listen: test.listen, Upstream: test.upstream}); (got != "") != test.elsewhere {
			t.Errorf("%+v: %q", test, got)
		}
	}
}
