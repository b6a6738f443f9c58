package link

import (
	"context"
	"errors"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	"pooler-lab/test/testkit"
)

func latency(name, stream string, ms float64) Toxic {
	return toxic(name, "latency", stream, map[string]any{"latency": ms, "jitter": 0.0})
}

func TestHandshakeIsARoundTrip(t *testing.T) {
	set := Settings{LatencyMS: 10.001, JitterMS: 9}
	p := Proxy{Toxics: append(set.toxics(), latency("theirs", "downstream", 5))}
	if got := p.Handshake(); got != 10_001*time.Microsecond {
		t.Errorf("%v with %+v and a stock toxic", got, set)
	}
}

func TestSet(t *testing.T) {
	slicer := toxic("slicer_downstream", "slicer", "downstream",
		map[string]any{"average_size": 10.0, "size_variation": 0.0, "delay": 0.0})
	ours := []string{wanUpstream, wanDownstream}
	rare := Settings{LatencyMS: 10}.toxics()
	rare[1].Toxicity = 0.5
	moved := Settings{LatencyMS: 10}.toxics()[0]
	moved.Stream = "downstream"
	cases := []struct {
		name   string
		before []Toxic
		set    Settings
	}{
		{"latency on a bare link", nil, Settings{LatencyMS: 10}},
		{"half a millisecond", Settings{}.toxics(), Settings{LatencyMS: 0.5}},
		{"an odd number of microseconds", Settings{}.toxics(), Settings{LatencyMS: 0.501}},
		{"another latency", Settings{LatencyMS: 10}.toxics(), Settings{LatencyMS: 20, JitterMS: 2}},
		{"for every connection", rare, Settings{LatencyMS: 10}},
		{"nothing", Settings{LatencyMS: 10, DownKBps: 500, UpKBps: 400}.toxics(), Settings{}},
		{"someone else's goes", []Toxic{latency("theirs", "downstream", 5), latency("too", "upstream", 7)},
			Settings{LatencyMS: 10}},
		{"someone else's of our name in the other stream", []Toxic{moved}, Settings{LatencyMS: 10}},
		{"other faults go", []Toxic{slicer}, Settings{LatencyMS: 10}},
		{"bandwidth", Settings{}.toxics(), Settings{LatencyMS: 10, DownKBps: 500, UpKBps: 100}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			client := startToxiproxy(t)
			l := addLink(t, client, "client-primary", listen(t, echo))
			for _, toxic := range c.before {
				testkit.OK(t, client.addToxic(t.Context(), l.Name, toxic))
			}
			testkit.OK(t, client.Set(t.Context(), l.Name, c.set))
			now, err := client.Proxy(t.Context(), l.Name)
			testkit.OK(t, err)
			var names []string
			for _, toxic := range now.Toxics {
				names = append(names, toxic.Name)
			}
			if !reflect.DeepEqual(names, ours) {
				t.Errorf("toxics are %v, want %v", names, ours)
			}
			if now.Settings() != c.set {
				t.Errorf("asked is %+v, want %+v", now.Settings(), c.set)
			}
		})
	}
}

func TestLiveConnectionFeelsEveryChange(t *testing.T) {
	client := startToxiproxy(t)
	l := addLink(t, client, "client-primary", listen(t, echo))
	other := connectThrough(t, addLink(t, client, "client-standby", listen(t, echo)))
	live := connectThrough(t, l)
	steps := []struct {
		name string
		set  Settings
		size int           // 0: nothing is sent
		want time.Duration // at least
	}{
		{"bare", Settings{}, 10, 0},
		{"60 ms", Settings{LatencyMS: 60}, 10, 60 * time.Millisecond},
		{"changed in place", Settings{LatencyMS: 100}, 10, 100 * time.Millisecond},
		{"bandwidth before it", Settings{LatencyMS: 20, DownKBps: 100}, 10_000, 100 * time.Millisecond},
		{"nothing would come", Settings{LatencyMS: mostLatency}, 0, 0},
		{"off", Settings{}, 10, 0},
	}
	for _, step := range steps {
		testkit.OK(t, client.Set(t.Context(), l.Name, step.set))
		if step.size > 0 {
			live.takes(step.name, step.size, step.want)
		}
		other.takes("the other link while "+step.name, 10, 0)
	}
}

func TestStockLatencyAddsToOurs(t *testing.T) {
	client := startToxiproxy(t)
	l := addLink(t, client, "client-primary", listen(t, echo))
	testkit.OK(t, client.Set(t.Context(), l.Name, Settings{LatencyMS: 40}))
	testkit.OK(t, client.addToxic(t.Context(), l.Name, latency("theirs", "downstream", 40)))
	connectThrough(t, l).takes("with both", 10, 80*time.Millisecond)
}

func TestCutAndRestore(t *testing.T) {
	client := startToxiproxy(t)
	l := addLink(t, client, "client-primary", listen(t, echo))
	live := connectThrough(t, l)
	live.roundTrip(10)
	ctx := t.Context()
	testkit.OK(t, client.Set(ctx, l.Name, Settings{LatencyMS: 50}))
	testkit.OK(t, client.Cut(ctx, l.Name))
	if _, err := live.conn.Read(make([]byte, 1)); err == nil {
		t.Error("a cut left a live connection open")
	}
	if conn, err := net.Dial("tcp", l.Listen); err == nil {
		conn.Close()
		t.Error("a cut link accepts a connection")
	}
	testkit.OK(t, client.Set(ctx, l.Name, Settings{LatencyMS: 60}))
	if now, err := client.Proxy(ctx, l.Name); err != nil || now.Describe() != "cut, 60 ms" {
		t.Errorf("after setting a cut link: %s, %v", now.Describe(), err)
	}
	testkit.OK(t, client.Restore(ctx, l.Name))
	connectThrough(t, l).takes("the restored link", 10, 60*time.Millisecond)
	testkit.OK(t, client.Set(ctx, l.Name, Settings{LatencyMS: mostLatency}))
	testkit.OK(t, client.Cut(ctx, l.Name))
	testkit.OK(t, client.Off(ctx, l.Name))
	connectThrough(t, l).takes("the link turned off", 10, 0)
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	client := startToxiproxy(t)
	if err := client.Set(t.Context(), "client-primary", Settings{LatencyMS: 10}); err == nil ||
		!strings.Contains(err.Error(), "toxiproxy has no link client-primary") {
		t.Errorf("missing link: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	mute := New("http://"+listen(t, silent), "client-primary")
	if _, err := mute.Snapshot(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a silent toxiproxy: %v; want an error at the deadline", err)
	}
}
