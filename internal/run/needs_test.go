package run

import (
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
)

func TestNeeds(t *testing.T) {
	roomy := capacity{connections: 5000, nodeBytes: 10 << 30, hostBytes: 16 << 30, files: 20000, scale: 100}
	needs := lesson.Needs{Minutes: 30, MaxConnections: 4100, NodeMemoryGB: 9, HostMemoryGB: 14, Files: 8300, Scale: 100}
	tests := []struct {
		name   string
		change func(*capacity)
		want   string
	}{
		{"all fits", func(*capacity) {}, ""},
		{"too few connections", func(c *capacity) { c.connections = 600 }, "LAB_MAX_CONNECTIONS is 600 and has to be 4100"},
		{"too small a node", func(c *capacity) { c.nodeBytes = 1 << 30 }, "LAB_NODE_MEMORY is 1g and has to be 9g"},
		{"a node in megabytes", func(c *capacity) { c.nodeBytes = 8000 << 20 }, "LAB_NODE_MEMORY is 8000m and has to be 9g"},
		{"a node without a limit", func(c *capacity) { c.nodeBytes = 0 }, ""},
		{"too small a machine", func(c *capacity) { c.hostBytes = 8 << 30 },
			"this machine has 8.6 GB of memory and it takes 14"},
		{"too little data", func(c *capacity) { c.scale = 10 }, "scale is 10 and has to be 100 (scripts/reset --scale 100)"},
		{"too few files", func(c *capacity) { c.files = 4096 }, "may open 4096 files"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := roomy
			test.change(&c)
			err := c.refuse(&needs)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("it says %v", err)
			}
		})
	}
	want := "4100 connections (LAB_MAX_CONNECTIONS), 9 GB for each database node (LAB_NODE_MEMORY), " +
		"data of scale 100 (LAB_SCALE), 14 GB of memory in all, 8300 open files"
	if got := spokenNeeds(&needs); got != want {
		t.Errorf("the needs are told as %q", got)
	}
}
