package run

import (
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/topology"
)

func TestTooSmall(t *testing.T) {
	set := &topology.Set{Paths: []topology.Path{{Name: "direct", Services: []string{"primary"}},
		{Name: "pgpool", Services: []string{"pgpool", "primary", "standby"}}}}
	half := func(string) float64 { return 0.5 }
	cell := func(change func(*lesson.Cell)) lesson.Cell {
		c := lesson.Cell{Path: "pgpool", Workload: "select", Clients: 45, Driver: ""}
		change(&c)
		return c
	}
	tests := []struct {
		name  string
		cells []lesson.Cell
		cpus  int
		want  []string // parts of the text, none where there is none
	}{
		{"enough CPUs", []lesson.Cell{cell(func(*lesson.Cell) {})}, 4, nil},
		{"too few", []lesson.Cell{cell(func(*lesson.Cell) {}), cell(func(c *lesson.Cell) { c.Clients = 90 })}, 1,
			[]string{"This host has 1 CPU, and 2 cells need up to 2.05: 1.5 by limit for pgpool, primary, standby,",
				"what k6 with 45 clients", "With --driver pgbench it would be 1.9."}},
		{"pgbench drives it already", []lesson.Cell{cell(func(c *lesson.Cell) { c.Driver = lesson.Pgbench })}, 1,
			[]string{"1 cell needs up to 1.9", "what pgbench with 45 clients and the lab take."}},
		{"pgbench has no script", []lesson.Cell{cell(func(c *lesson.Cell) { c.Workload = "copy" })}, 1,
			[]string{"what k6 with 45 clients and the lab take."}},
		{"one client keeps one CPU busy", []lesson.Cell{cell(func(c *lesson.Cell) { c.Clients = 1 })}, 2, nil},
		{"clients wait for the network", []lesson.Cell{cell(func(c *lesson.Cell) { c.Latency = lesson.Through(10) })}, 1,
			nil},
		{"an open loop", []lesson.Cell{cell(func(c *lesson.Cell) { c.Rate = 9 })}, 1, nil},
		{"one server", []lesson.Cell{cell(func(c *lesson.Cell) { c.Path = "direct" })}, 2, nil},
	}
	for _, test := range tests {
		p := &plan{lesson: &lesson.Lesson{Pgbench: map[string]string{"select": "select-only"}}, cells: test.cells}
		text := p.tooSmall(set, test.cpus, half)
		if (text == "") != (test.want == nil) {
			t.Errorf("%s: %q", test.name, text)
		}
		for _, part := range test.want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q lacks %q", test.name, text, part)
			}
		}
		if strings.HasSuffix(strings.Join(test.want, ""), "take.") && !strings.HasSuffix(text, "take.") {
			t.Errorf("%s: %q offers pgbench", test.name, text)
		}
	}
	unlimited := func(string) float64 { return 0 }
	if text := (&plan{lesson: &lesson.Lesson{}, cells: tests[1].cells}).tooSmall(set, 1, unlimited); text != "" {
		t.Errorf("without limits: %q", text)
	}
}
