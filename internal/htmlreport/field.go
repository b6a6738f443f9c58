package htmlreport

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/result"
)

// fieldOf is what a cell has in the field that run.json calls name; "params.x" is one of its parameters. What it
// doesn't have is nil.
func fieldOf(c *result.Cell, name string) any {
	text, err := json.Marshal(c.Cell)
	if err != nil {
		return nil
	}
	var fields map[string]any
	if json.Unmarshal(text, &fields) != nil {
		return nil
	}
	first, rest, nested := strings.Cut(name, ".")
	if nested {
		inner, _ := fields[first].(map[string]any)
		return inner[rest]
	}
	return fields[first]
}

// said is a field's value as a reader has it.
func said(field string, value any) string {
	switch {
	case field == "latency_ms" && value == nil:
		return "no proxy"
	case field == "latency_ms":
		return fmt.Sprintf("%v ms", value)
	case field == "pool_size" && value == nil:
		return "no pool"
	case field == "pool_size":
		return fmt.Sprintf("pool of %v", value)
	case field == "clients" && value == float64(1):
		return "1 client"
	case field == "clients":
		return fmt.Sprintf("%v clients", value)
	case field == "pods" && value == float64(1):
		return "1 app instance"
	case field == "pods":
		return fmt.Sprintf("%v app instances", value)
	case field == "pod_pool":
		return fmt.Sprintf("pools of %v", value)
	case field == "rate" && value == float64(0):
		return "closed loop"
	case field == "rate":
		return fmt.Sprintf("%v iterations/s", value)
	case field == "replication_ms":
		return fmt.Sprintf("replication + %v ms", value)
	case field == "bandwidth_kb_s" && value == nil:
		return "no limit"
	case field == "bandwidth_kb_s":
		return fmt.Sprintf("%v KB/s", value)
	case value == nil:
		return "none"
	}
	return bare(value)
}

// bare is a value without its unit, for an axis whose name has it.
func bare(value any) string {
	switch v := value.(type) {
	case nil:
		return "none"
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// fieldNames say what an axis shows.
var fieldNames = map[string]string{
	"latency_ms": "round trip set on the link, ms", "clients": "clients", "pool_size": "server connections in the pool",
	"pods": "app instances", "pod_pool": "connections in each instance's pool", "rate": "iterations a second",
	"replication_ms": "round trip set on replication, ms", "bandwidth_kb_s": "bandwidth of the link, KB/s",
}

func fieldName(field string) string {
	if name, ok := fieldNames[field]; ok {
		return name
	}
	return strings.ReplaceAll(strings.TrimPrefix(field, "params."), "_", " ")
}

// valuesOf are the values that the cells have in field, each once: numbers from the least, what is none before them,
// and words in the cells' order.
func valuesOf(cells []*result.Cell, field string) []any {
	var values []any
	numbers := true
	for _, c := range cells {
		v := fieldOf(c, field)
		if !slices.ContainsFunc(values, func(w any) bool { return same(v, w) }) {
			values = append(values, v)
		}
		if _, ok := v.(float64); !ok && v != nil {
			numbers = false
		}
	}
	if numbers {
		slices.SortStableFunc(values, func(a, b any) int { return compare(numberOf(a), numberOf(b)) })
	}
	return values
}

// numberOf is a value's number, less than all where it is none.
func numberOf(v any) float64 {
	if n, ok := v.(float64); ok {
		return n
	}
	return math.Inf(-1)
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func same(a, b any) bool { return bare(a) == bare(b) && (a == nil) == (b == nil) }
