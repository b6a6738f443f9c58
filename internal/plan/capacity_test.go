package plan

import (
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
)

func TestNeeds(t *testing.T) {
	roomy := Capacity{Connections: 5000, NodeBytes: 10 << 30, HostBytes: 16 << 30, Files: 20000, Scale: 100}
	needs := lesson.Needs{Minutes: 30, MaxConnections: 4100, NodeMemoryGB: 9, HostMemoryGB: 14, Files: 8300, Scale: 100}
	tests := []struct {
		name   string
		change func(*Capacity)
		want   string
	}{
		{"all fits", func(*Capacity) {}, ""},
		{"too few connections", func(c *Capacity) { c.Connections = 600 }, "LAB_MAX_CONNECTIONS is 600 and has to be 4100"},
		{"too small a node", func(c *Capacity) { c.NodeBytes = 1 << 30 }, "LAB_NODE_MEMORY is 1g and has to be 9g"},
		{"a node in megabytes", func(c *Capacity) { c.NodeBytes = 8000 << 20 }, "LAB_NODE_MEMORY is 8000m and has to be 9g"},
		{"a node without a limit", func(c *Capacity) { c.NodeBytes = 0 }, ""},
		{"too small a machine", func(c *Capacity) { c.HostBytes = 8 << 30 },
			"this machine has 8.6 GB of memory and it takes 14"},
		{"too little data", func(c *Capacity) { c.Scale = 10 }, "scale is 10 and has to be 100 (scripts/reset --scale 100)"},
		{"too few files", func(c *Capacity) { c.Files = 4096 }, "may open 4096 files"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := roomy
			test.change(&c)
			err := c.Refuse(&needs)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("it says %v", err)
			}
		})
	}
	want := "4100 connections (LAB_MAX_CONNECTIONS), 9 GB for each database node (LAB_NODE_MEMORY), " +
		"data of scale 100 (LAB_SCALE), 14 GB of memory in all, 8300 open files"
	if got := SpokenNeeds(&needs); got != want {
		t.Errorf("the needs are told as %q", got)
	}
}
