package metric

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pooler-lab/internal/result"
)

// docs/limits.md has the same table.
func TestRulesAreThoseOfTheDocs(t *testing.T) {
	docs, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range result.FlagKinds() {
		row := fmt.Sprintf("| `%s` |", flag)
		for _, rule := range rules[flag] {
			row += fmt.Sprintf(" %s |", rule)
		}
		if !strings.Contains(string(docs), "\n"+row+"\n") {
			t.Errorf("the docs have no row %s", row)
		}
		if len(rules[flag]) != int(count)+1 {
			t.Errorf("%s has rules for %d kinds of metric, there are %d", flag, len(rules[flag]), count+1)
		}
	}
	if len(rules) != len(result.FlagKinds()) {
		t.Errorf("there are rules for %d flags, and %d flags", len(rules), len(result.FlagKinds()))
	}
}

func TestRules(t *testing.T) {
	for _, test := range []struct {
		flag result.FlagKind
		want map[Rule][]string // metrics
	}{
		{result.FlagHost, map[Rule][]string{Worse: {"tps", "ceiling_share", "p50", "p99", "copy_mb_s", "finish_seconds"},
			Veto: {"cpu_database", "wait:CPU"}, None: {"errors", "memory_database_mb"}}},
		{result.FlagThrottled, map[Rule][]string{Veto: {"p95", "p99", "mean", "connect_p95", "max_wait"},
			Note: {"p50", "connect", "later_connect", "trend:pg_prepare", "statement:read"}, None: {"tps"}}},
		{result.FlagLate, map[Rule][]string{Veto: {"p50", "p95"}, Worse: {"tps"}}},
		{result.FlagFew, map[Rule][]string{Veto: {"tps", "p50"}, None: {"first_connect", "copy_mb_s", "wait:CPU"}}},
		{result.FlagErrors, map[Rule][]string{Note: {"tps", "p50"}, Veto: {"p95"}, None: {"errors", "errors:53300"}}},
		{result.FlagCounts, map[Rule][]string{Veto: {"tps", "p50", "errors", "round_trips", "counter:pg_rows"}}},
		{result.FlagLatency, map[Rule][]string{Note: {"tps", "p99", "cpu_pooler"}, None: {"round_trips"}}},
		{"of a later version", map[Rule][]string{Veto: {"tps", "errors"}}},
	} {
		for want, names := range test.want {
			for _, name := range names {
				f := found(t, name)
				if got := f.Rule(test.flag); got != want {
					t.Errorf("%s of %s: %q, it should be %q", test.flag, name, got, want)
				}
			}
		}
	}
	if f := (Metric{}); f.Rule(result.FlagHost) != Veto {
		t.Error("what has no better has a worse")
	}
}

func TestFlagsThatStarAFigure(t *testing.T) {
	c := &result.Cell{Repeats: []result.Repeat{
		{Status: result.OK, Flags: []result.Flag{{Kind: result.FlagThrottled}, {Kind: result.FlagStolen}}},
		{Status: result.OK, Flags: []result.Flag{{Kind: result.FlagStolen}}},
		{Status: result.Rejected, Flags: []result.Flag{{Kind: result.FlagErrors}}}}}
	for name, want := range map[string][]result.FlagKind{
		"p50": {result.FlagStolen, result.FlagThrottled}, "tps": {result.FlagStolen}, "errors": nil} {
		f := found(t, name)
		if got := f.Flags(c); !slices.Equal(got, want) {
			t.Errorf("%s has a star for %v, it should for %v", name, got, want)
		}
	}
}
