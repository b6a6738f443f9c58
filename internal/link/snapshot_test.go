package link

import (
	"net/http"
	"testing"

	"pooler-lab/test/testkit"
)

func TestPutBringsBackWhateverChanged(t *testing.T) {
	client := startToxiproxy(t)
	ctx := t.Context()
	for _, name := range []string{"client-primary", "client-standby", "client-pgpool"} {
		addLink(t, client, name, listen(t, echo))
	}
	// Someone else's toxics are part of what is put back.
	theirs := []Toxic{
		latency("theirs", "upstream", 3),
		latency("latency_downstream", "downstream", 4),
		toxic("slow", "bandwidth", "downstream", map[string]any{"rate": 500.0}),
	}
	for _, one := range theirs {
		testkit.OK(t, client.addToxic(ctx, "client-primary", one))
	}
	testkit.OK(t, client.Cut(ctx, "client-pgpool"))
	before, err := client.Snapshot(ctx)
	testkit.OK(t, err)
	if got := before.SetMS("client-primary"); got != 7 {
		t.Errorf("asked of client-primary: %g ms; want 7, the sum over everyone's toxics", got)
	}

	changes := []struct {
		name   string
		change func() error
		want   string
	}{
		{"nothing", func() error { return nil }, ""},
		{"latency set", func() error { return client.Set(ctx, "client-standby", Settings{LatencyMS: 10}) },
			"client-standby: 0 ms → 10 ms"},
		{"toxics replaced", func() error { return client.Set(ctx, "client-primary", Settings{LatencyMS: 10}) },
			"client-primary: 7 ms, 500 KB/s down → 10 ms"},
		{"one attribute", func() error {
			return client.change(ctx, "client-primary", updating(latency("theirs", "upstream", 5)))
		}, "client-primary: 7 ms, 500 KB/s down → 9 ms, 500 KB/s down"},
		{"what adds up to the same", func() error {
			return client.Set(ctx, "client-primary", Settings{LatencyMS: 7, DownKBps: 500})
		}, "client-primary: 7 ms, 500 KB/s down by other toxics"},
		{"cut", func() error { return client.Cut(ctx, "client-standby") }, "client-standby: 0 ms → cut"},
		{"restored", func() error { return client.Restore(ctx, "client-pgpool") }, "client-pgpool: cut → 0 ms"},
		{"toxiproxy's reset", func() error { return client.do(ctx, http.MethodPost, "/reset", nil, nil) },
			"client-pgpool: cut → 0 ms; client-primary: 7 ms, 500 KB/s down → 0 ms"},
	}
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			testkit.OK(t, c.change())
			now, err := client.Snapshot(ctx)
			testkit.OK(t, err)
			if got := before.Difference(now); got != c.want {
				t.Errorf("difference\ngot  %s\nwant %s", got, c.want)
			}
			testkit.OK(t, (&Switch{Client: client}).Put(ctx, before))
			after, err := client.Snapshot(ctx)
			testkit.OK(t, err)
			if d := before.Difference(after); d != "" {
				t.Errorf("not put back: %s", d)
			}
		})
	}
}

func TestLinksComeAndGo(t *testing.T) {
	client := startToxiproxy(t)
	ctx := t.Context()
	addLink(t, client, "client-primary", listen(t, echo))
	addLink(t, client, "client-standby", listen(t, echo))
	before, err := client.Snapshot(ctx)
	testkit.OK(t, err)
	testkit.OK(t, client.do(ctx, http.MethodDelete, "/proxies/client-primary", nil, nil))
	addLink(t, client, "client-new", listen(t, echo))
	testkit.OK(t, client.Set(ctx, "client-standby", Settings{LatencyMS: 10}))
	after, err := client.Snapshot(ctx)
	testkit.OK(t, err)
	want := "client-primary: gone; client-standby: 0 ms → 10 ms; client-new: new"
	if got := before.Difference(after); got != want {
		t.Errorf("difference\ngot  %s\nwant %s", got, want)
	}
	if err := (&Switch{Client: client}).Put(ctx, before); err == nil {
		t.Error("a link that is gone was put back")
	}
	if now, err := client.Snapshot(ctx); err != nil || now.SetMS("client-standby") != 0 {
		t.Errorf("client-standby wasn't put back behind the one that is gone: %g, %v", now.SetMS("client-standby"), err)
	}
}
