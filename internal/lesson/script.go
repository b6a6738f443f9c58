package lesson

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"gopkg.in/yaml.v3"
)

// readScript asks k6 for the plan that stands within a script (options.ext.lab).
func readScript(ctx context.Context, file string) (*yaml.Node, error) {
	var stdout, stderr bytes.Buffer
	inspect := exec.CommandContext(ctx, "k6", "inspect", file)
	inspect.Env = withoutCell(os.Environ())
	inspect.Stdout, inspect.Stderr = &stdout, &stderr
	if err := inspect.Run(); err != nil {
		return nil, fmt.Errorf("k6 inspect %s: %w\n%s", file, err, strings.TrimSpace(stderr.String()))
	}
	var options struct {
		Ext map[string]any `json:"ext"`
	}
	if err := json.Unmarshal(stdout.Bytes(), &options); err != nil {
		return nil, fmt.Errorf("read what k6 inspect printed: %w", err)
	}
	lab, ok := options.Ext["lab"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s has no plan", file)
	}
	delete(lab, "lesson")
	plan := renamed(lab, "").(map[string]any)
	node := new(yaml.Node)
	if err := node.Encode(plan); err != nil {
		return nil, fmt.Errorf("write the plan of %s: %w", file, err)
	}
	return node, nil
}

// today are a script's words for those of a plan.
var today = map[string]string{"groups": "experiments", "group": "experiment", "figure": "metric", "pods": "instances",
	"pod_pool": "instance_pool", "pod_pools": "instance_pools", "headlines": "comparisons", "shapes": "findings", "says": "text",
	"said": "value", "waits_hz": "samples_per_second"}

// renamed is value with the keys of a plan.
func renamed(value any, under string) any {
	switch v := value.(type) {
	case map[string]any:
		fields := map[string]any{}
		for key, inner := range v {
			name, known := today[key]
			switch {
			case key == "figures" && under != "study":
				name = "metrics"
			case !known:
				name = key
			}
			fields[name] = renamed(inner, key)
		}
		return fields
	case []any:
		for i := range v {
			v[i] = renamed(v[i], under)
		}
	case nil:
		return "none"
	case string:
		if name, known := today[v]; known && (under == "x" || under == "series") {
			return name
		}
	}
	return value
}

func withoutCell(env []string) []string {
	var kept []string
	for _, e := range env {
		if !strings.HasPrefix(e, "LAB_CELL=") {
			kept = append(kept, e)
		}
	}
	return kept
}
