package link

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"pooler-lab/internal/testkit"
)

// flood sends without end, as a COPY of a large table does, until its client leaves.
func flood(conn net.Conn) {
	for chunk := make([]byte, 1<<15); ; {
		if _, err := conn.Write(chunk); err != nil {
			return
		}
	}
}

// A client that doesn't read stalls its own link, which says so. Other links can be seen and set meanwhile.
func TestStalledLinkIsNamedAndHoldsUpNoOther(t *testing.T) {
	client, ctx := startToxiproxy(t), t.Context()
	stalls := addLink(t, client, "client-primary", listen(t, flood))
	other := addLink(t, client, "client-standby", listen(t, answerQueries))
	testkit.OK(t, client.Set(ctx, stalls.Name, Settings{LatencyMS: 1}))
	reader := connectThrough(t, stalls)
	var stalled *StalledError
	begun := 1
	testkit.Until(t, "a change finds the link stalled", func() bool {
		begun++
		err := client.Set(ctx, stalls.Name, Settings{LatencyMS: begun})
		if err != nil && !strings.Contains(err.Error(), "the change that was begun takes effect then") {
			t.Fatal(err)
		}
		return errors.As(err, &stalled)
	})

	err := Each(client.links, func(link string) error { return client.Off(ctx, link) })
	if !errors.As(err, &stalled) || stalled.Link != stalls.Name || strings.Contains(err.Error(), other.Name) ||
		strings.Contains(err.Error(), "begun") {
		t.Fatalf("off: %v", err)
	}
	if err := client.Set(ctx, other.Name, Settings{LatencyMS: 7}); err != nil {
		t.Errorf("the other link can't be set: %v", err)
	}
	if _, err := client.Snapshot(ctx); !errors.As(err, &stalled) {
		t.Errorf("a snapshot that lacks a link: %v", err)
	}
	rows := readRows(t, commandOver(t, client, stalls, other))
	if rows[0].set != "?" || rows[0].Problem != "stalled: "+(&StalledError{Link: stalls.Name}).Error() {
		t.Errorf("the stalled link is shown as %+v", rows[0])
	}
	if rows[1].LatencyMS != 7 || rows[1].RoundTripMS == nil {
		t.Errorf("the other link is shown as %+v", rows[1])
	}

	go io.Copy(io.Discard, reader.conn)
	testkit.Eventually(t, func() string {
		now, err := client.Snapshot(ctx)
		if err == nil && now.SetMS(stalls.Name) != begun {
			return fmt.Sprintf("set %d ms, %d were begun", now.SetMS(stalls.Name), begun)
		}
		if err != nil {
			return err.Error()
		}
		return ""
	})
	if err := client.Off(ctx, stalls.Name); err != nil {
		t.Errorf("the link can't be set after its client has read on: %v", err)
	}
}

// A bandwidth of 0 holds data up for ever, that of connections that have ended, too. Toxiproxy outlives what follows.
func TestBandwidthOfZeroIsTakenOff(t *testing.T) {
	client, ctx := startToxiproxy(t), t.Context()
	ended := make(chan struct{}, 1)
	l := addLink(t, client, "client-primary", listen(t, func(conn net.Conn) {
		conn.Write([]byte("held up"))
		ended <- struct{}{}
	}))
	for range 10 {
		testkit.OK(t, client.Set(ctx, l.Name, Settings{LatencyMS: 1}))
		zero := toxic(bandwidthDownstream, "bandwidth", "downstream", map[string]any{"rate": 0.0})
		testkit.OK(t, client.addToxic(ctx, l.Name, zero))
		conn := connectThrough(t, l).conn
		<-ended
		conn.Close()
		testkit.OK(t, client.Off(ctx, l.Name))
		testkit.OK(t, client.Set(ctx, l.Name, Settings{LatencyMS: 5}))
	}
}

// The port of a link that is cut may be taken for a while: a restore tries again, and other links don't wait for it.
func TestRestoreTriesAgain(t *testing.T) {
	var tries atomic.Int64
	var squatter net.Listener
	client := startToxiproxyBehind(t, func(api http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if squatter != nil && r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "client-primary") &&
				tries.Add(1) == 3 {
				squatter.Close()
			}
			api.ServeHTTP(w, r)
		})
	})
	ctx := t.Context()
	l := addLink(t, client, "client-primary", listen(t, echo))
	for _, name := range []string{"client-standby", "client-pgpool", "primary-standby"} {
		addLink(t, client, name, listen(t, echo))
	}
	for _, name := range client.links {
		testkit.OK(t, client.Cut(ctx, name))
	}
	take(t, l.Listen, &squatter)
	if err := Each(client.links, func(link string) error { return client.Off(ctx, link) }); err != nil {
		t.Error(err)
	}
	if tries.Load() != 3 {
		t.Errorf("tried %d times, the port was free at the third", tries.Load())
	}
	if now, err := client.Snapshot(ctx); err != nil || !now.Bare() {
		t.Errorf("%+v, %v", now, err)
	}

	// A port that stays taken: the error names its link, and the others are restored.
	for _, name := range client.links {
		testkit.OK(t, client.Cut(ctx, name))
	}
	take(t, l.Listen, &squatter)
	defer squatter.Close()
	err := Each(client.links, func(link string) error { return client.Restore(ctx, link) })
	if err == nil || strings.Count(err.Error(), "restore link") != 1 ||
		!strings.Contains(err.Error(), "restore link client-primary: another connection of toxiproxy's has its port") {
		t.Errorf("a port that stays taken: %v", err)
	}
	now, err := client.Snapshot(ctx)
	testkit.OK(t, err)
	for _, p := range now {
		if p.Enabled == (p.Name == l.Name) {
			t.Errorf("%s: enabled %v", p.Name, p.Enabled)
		}
	}
}

// take listens at an address that has just become free.
func take(t *testing.T, address string, listener *net.Listener) {
	t.Helper()
	testkit.Eventually(t, func() string {
		made, err := net.Listen("tcp", address)
		if err != nil {
			return err.Error()
		}
		*listener = made
		return ""
	})
}
