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

// What a flag does to a figure follows from its kind.
func TestKinds(t *testing.T) {
	for kind, names := range map[kind][]string{
		throughput: {"tps", "ceiling_share"},
		median:     {"p50", "connect", "later_connect", "trend:pg_prepare", "statement:read"},
		tail:       {"p95", "p99", "mean", "connect_p95", "max_wait"},
		whole:      {"copy_mb_s", "finish_seconds", "first_connect"},
		usage:      {"cpu_database", "cpu_pooler", "wait:CPU"},
		count:      {"errors", "errors:53300", "round_trips", "memory_database_mb", "counter:pg_rows"},
	} {
		for _, name := range names {
			f := found(t, name)
			if f.from.kind != kind || f.Rule(result.FlagErrors) != rules[result.FlagErrors][kind] {
				t.Errorf("%s is of the kind %d, it should be of %d", name, f.from.kind, kind)
			}
			if f.Rule("of a later version") != Veto {
				t.Errorf("a flag of a later version doesn't veto %s", name)
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

// How many times a percentile takes depends on it.
func TestTooFewTimesForATail(t *testing.T) {
	few := func(name string, times int64) bool {
		c := &result.Cell{Repeats: []result.Repeat{{Status: result.OK, Measured: &result.Measured{
			Trends: map[string]result.Trend{"pg_connect": {Count: times}}}}}}
		return slices.Contains(found(t, name).Flags(c), result.FlagFew)
	}
	for name, least := range map[string]int64{"connect": 1, "connect_mean": 1, "connect_p95": 100, "connect_p99": 500} {
		if few(name, least) || least > 1 && !few(name, least-1) {
			t.Errorf("%s of %d times: too few is %v, of one time less %v", name, least, few(name, least), few(name, least-1))
		}
	}
	if few("connect_p95", 0) {
		t.Error("what wasn't measured has a flag")
	}
}
