package link

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"pooler-lab/test/testkit"
)

// flood sends without end, as a COPY of a large table does, until its client leaves.
func flood(conn net.Conn) {
	for chunk := make([]byte, 1<<15); ; {
		if _, err := conn.Write(chunk); err != nil {
			return
		}
	}
}

// A client that doesn't read holds up no change of its link.
func TestStoppedReaderHoldsUpNoChange(t *testing.T) {
	client, ctx := startToxiproxy(t), t.Context()
	l := addLink(t, client, "client-primary", listen(t, flood))
	testkit.OK(t, client.Set(ctx, l.Name, Settings{}))
	reader := connectThrough(t, l).conn
	_, err := io.ReadFull(reader, make([]byte, 1<<20))
	testkit.OK(t, err)
	for i := range 50 {
		testkit.OK(t, client.Set(ctx, l.Name, Settings{LatencyMS: float64(i) / 2}))
	}
	_, err = io.ReadFull(reader, make([]byte, 1<<26))
	testkit.OK(t, err)
}

// A client that doesn't read stalls its own link where a stock toxic is on it, and the link says so. Other links can be
// seen and set meanwhile.
func TestStalledLinkIsNamedAndHoldsUpNoOther(t *testing.T) {
	client, ctx := startToxiproxy(t), t.Context()
	stalls := addLink(t, client, "client-primary", listen(t, flood))
	other := addLink(t, client, "client-standby", listen(t, answerQueries))
	testkit.OK(t, client.addToxic(ctx, stalls.Name, latency("theirs", "downstream", 1)))
	reader := connectThrough(t, stalls)
	var stalled *StalledError
	begun := 1.0
	testkit.Until(t, "a change finds the link stalled", func() bool {
		begun++
		err := client.change(ctx, stalls.Name, updating(latency("theirs", "downstream", begun)))
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
			return fmt.Sprintf("set %g ms, %g were begun", now.SetMS(stalls.Name), begun)
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
		zero := toxic("bandwidth_downstream", "bandwidth", "downstream", map[string]any{"rate": 0.0})
		testkit.OK(t, client.addToxic(ctx, l.Name, zero))
		conn := connectThrough(t, l).conn
		<-ended
		conn.Close()
		testkit.OK(t, client.Off(ctx, l.Name))
		testkit.OK(t, client.Set(ctx, l.Name, Settings{LatencyMS: 5}))
	}
}
