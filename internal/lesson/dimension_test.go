package lesson

import (
	"encoding/json"
	"slices"
	"testing"

	"pooler-lab/docs"
)

// whole is a cell that has all that one can have.
var whole = Cell{Experiment: "e", Path: "far", Latency: Number(10), Link: "client-far", Workload: "select",
	Clients: 1, Protocol: "simple", Driver: "pgbench", Role: "app_trust", PoolSize: 5, Instances: 2, InstancePool: 3,
	Shared: Shared{Rate: 11, Transactions: 50, BandwidthKBs: 1000, ReplicationMS: 20, FreshDatabase: true,
		Settings: map[string]map[string]string{"standby": {"b": "on", "a": "1"}},
		Params:   map[string]any{"rows": 9, "mode": "x"}}}

func TestDimensions(t *testing.T) {
	empty := Cell{Role: "app"}
	tests := []struct{ name, column, text, none, noneText string }{
		{"experiment", "e", "e", "none", "none"},
		{"path", "far", "far", "none", "none"},
		{"latency_ms", "10 ms", "10 ms", "none", "no toxiproxy"},
		{"link", "client-far", "on link client-far", "none", ""},
		{"clients", "1", "1 client", "none", ""},
		{"protocol", "simple", "simple protocol", "none", "none protocol"},
		{"driver", "pgbench", "pgbench", "k6", ""},
		{"role", "app_trust", "app_trust", "app", ""},
		{"pool_size", "5", "pool of 5", "-", ""},
		{"instances", "2", "2 app instances", "-", ""},
		{"instance_pool", "3", "pool of 3 each", "-", ""},
		{"rate", "11", "open loop, 11 iterations/s", "closed loop", "closed loop"},
		{"transactions", "50", "50 transactions each", "-", ""},
		{"bandwidth_kb_s", "1000", "1000 KB/s a connection", "no limit", ""},
		{"replication_ms", "20", "20 ms on replication", "-", ""},
		{"fresh_database", "true", "a new database", "no", ""},
		{"settings", "standby.a=1 standby.b=on", "standby.a=1 standby.b=on", "-", ""},
		{"params", "mode=x rows=9", "mode=x rows=9", "-", ""},
		{"params.rows", "9", "rows 9", "-", ""},
	}
	for _, test := range tests {
		d, err := DimensionNamed(test.name)
		if err != nil {
			t.Fatal(err)
		}
		v, none := d.Of(&whole), d.Of(&empty)
		if d.Column(v) != test.column || d.Text(v) != test.text || d.Column(none) != test.none ||
			d.Text(none) != test.noneText {
			t.Errorf("%s is %q, %q; none of it is %q, %q", test.name, d.Column(v), d.Text(v), d.Column(none), d.Text(none))
		}
	}
	if _, err := DimensionNamed("client"); err == nil {
		t.Error("there is no dimension client")
	}
}

func TestValues(t *testing.T) {
	cells := []*Cell{{Path: "b", Latency: Number(10)}, {Path: "a"}, {Path: "b", Latency: Number(0)}}
	for name, want := range map[string][]Value{"path": {Word("b"), Word("a")},
		"latency_ms": {None, Number(0), Number(10)}} {
		d, err := DimensionNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Values(cells); !slices.Equal(got, want) {
			t.Errorf("%s has %v, it should have %v", name, got, want)
		}
	}
}

func TestSameBut(t *testing.T) {
	other := whole
	other.Path, other.PoolSize = "direct", 0
	if whole.SameBut(&other, "path") || !whole.SameBut(&other, "path", "pool_size") {
		t.Error("two cells that differ in path and pool size")
	}
}

func TestSelector(t *testing.T) {
	s := Selector{"path": Word("direct"), "params.pause_ms": Number(0)}
	for want, s := range map[string]Selector{
		"direct, params.pause_ms 0": s,
		"experiment light, no toxiproxy, 1 client, repeats_wanted 6": {"experiment": Word("light"), "latency_ms": None,
			"clients": Number(1), "repeats_wanted": Number(6)},
	} {
		if got := s.String(); got != want {
			t.Errorf("%q, it should be %q", got, want)
		}
	}
	for pause, want := range map[any]bool{0: true, nil: true, 11.0: false} {
		c := Cell{Path: "direct", Shared: Shared{Params: map[string]any{"pause_ms": pause}}}
		if s.Picks(&c) != want {
			t.Errorf("%s picks the cell with %v: %v", s, pause, !want)
		}
	}
}

func TestPicks(t *testing.T) {
	proxied := Cell{Path: "direct", Latency: Number(10), Clients: 5, PoolSize: 20}
	plain := Cell{Path: "direct"}
	for name, test := range map[string]struct {
		selector       Selector
		proxied, plain bool
	}{
		"everything":                            {Selector{}, true, true},
		"nothing":                               {nil, false, false},
		"a latency":                             {Selector{"latency_ms": Number(10)}, true, false},
		"no proxy":                              {Selector{"latency_ms": None}, false, true},
		"a field that is left out where it's 0": {Selector{"pool_size": Number(0)}, false, true},
		"a word for a number":                   {Selector{"clients": Word("5")}, false, false},
	} {
		if a, b := test.selector.Picks(&proxied), test.selector.Picks(&plain); a != test.proxied || b != test.plain {
			t.Errorf("%s: picks %v and %v", name, a, b)
		}
	}
}

// Editors complete the names of dimensions from the schema.
func TestTheSchemaKnowsAllDimensions(t *testing.T) {
	var schema struct {
		Defs struct {
			Dimension struct{ Else struct{ Enum []string } }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(docs.LessonSchema, &schema); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range dimensions {
		names = append(names, d.Name)
	}
	slices.Sort(names)
	if got := slices.Sorted(slices.Values(schema.Defs.Dimension.Else.Enum)); !slices.Equal(got, names) {
		t.Errorf("the schema has %v, the program %v", got, names)
	}
}
