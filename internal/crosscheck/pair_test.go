package crosscheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pooler-lab/internal/pgbench"
	"pooler-lab/internal/topology"
	"pooler-lab/k6/summary"
)

// lab has the paths of the checkout.
func lab(t *testing.T) *topology.Set {
	t.Helper()
	set, err := topology.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestPairPlan(t *testing.T) {
	names := func(pairs []*pair) (required, others []string) {
		for _, p := range pairs {
			if p.required {
				required = append(required, p.name())
			} else {
				others = append(others, p.name())
			}
		}
		return required, others
	}
	pairs, err := pairPlan(lab(t), options{groups: 40})
	if err != nil {
		t.Fatal(err)
	}
	required, others := names(pairs)
	wanted := []string{"direct, 10 clients, simple", "direct, 90 clients, simple",
		"pgbouncer-transaction, 10 clients, simple", "pgbouncer-transaction, 90 clients, simple",
		"pgpool, 10 clients, simple", "pgpool, 90 clients, simple"}
	if !slices.Equal(required, wanted) || len(others) != 6 || pairs[0].groups != 20 {
		t.Errorf("required are %q, others are %q", required, others)
	}
	if pairs, err = pairPlan(lab(t), options{all: true, groups: 40}); err != nil || len(pairs) != 6*4*2 {
		t.Errorf("all are %d, %v", len(pairs), err)
	}
	pairs, err = pairPlan(lab(t), options{paths: []string{"pgpool", "direct"}, own: true, clients: 3, groups: 2})
	if required, others = names(pairs); err != nil || !slices.Equal(required, []string{"direct, 3 clients, simple"}) ||
		!slices.Equal(others, []string{"pgpool, 3 clients, simple"}) {
		t.Errorf("required are %q, others are %q, %v", required, others, err)
	}
	if _, err := pairPlan(lab(t), options{paths: []string{"app-pool"}}); err == nil {
		t.Error("the application's pool, which pgbench doesn't have, is no error")
	}
}

// pairOf is a finished pair whose groups of slots have these ratios.
func pairOf(path string, pgbenchRatios, k6Ratios []float64) *pair {
	made := func(ratios []float64) measured {
		one := &part{ratios: ratios, cpu: time.Second, clients: [2][]float64{{1, 1}, {3, 1}}}
		for i, side := range []pgbench.Side{pgbench.A, pgbench.B, pgbench.B, pgbench.A} {
			start := time.Unix(0, 0).Add(time.Duration(i) * pgbench.SlotLength)
			one.slots = append(one.slots, pgbench.Slot{Side: side, Start: start, End: start.Add(pgbench.SlotLength),
				All: 10000, Counted: 8000})
		}
		return measured{one}
	}
	return &pair{paths: [2]string{direct, path}, clients: 2, protocol: "simple", required: true,
		pgbench: made(pgbenchRatios), k6: made(k6Ratios)}
}

// around are twenty ratios near a value, which is their median.
func around(value, spread float64) []float64 {
	ratios := make([]float64, 20)
	for i := range ratios {
		ratios[i] = value * (1 + spread*(float64(i)-9.5)/9.5)
	}
	return ratios
}

func TestPairAgreement(t *testing.T) {
	for name, test := range map[string]struct {
		path        string
		pgbench, k6 []float64
		want        agreement
	}{
		"same ratio":              {"pgpool", around(1.2, 0.05), around(1.21, 0.05), agrees},
		"another ratio":           {"pgpool", around(1.19, 0.05), around(1.0, 0.05), differs},
		"too noisy to tell":       {"pgpool", around(1.1, 0.6), around(1.0, 0.6), inconclusive},
		"few groups":              {"pgpool", []float64{1.2, 1.2}, []float64{1, 1}, differs},
		"equal paths":             {"direct", around(1.01, 0.05), around(0.99, 0.05), agrees},
		"equal paths aren't":      {"direct", around(1.2, 0.05), around(1.2, 0.05), differs},
		"equal paths, noisy":      {"direct", around(1.07, 0.6), around(1, 0.05), inconclusive},
		"one of them unequal":     {"direct", around(1, 0.05), around(1.2, 0.05), differs},
		"not measured by pgbench": {"pgpool", nil, around(1, 0.05), differs},
	} {
		p := pairOf(test.path, test.pgbench, test.k6)
		if test.pgbench == nil {
			p.pgbench = nil
		}
		if got := p.agreement(); got != test.want {
			t.Errorf("%s: %s (%+v)", name, got, p.quotient())
		}
	}
}

func TestQuotient(t *testing.T) {
	got := quotient(around(1.1, 0.1), around(1, 0.1))
	if math.Abs(got.Center-1.1) > 1e-9 || got.Lo > 1.08 || got.Lo < 0.95 || got.Hi < 1.12 || got.Hi > 1.25 ||
		!got.Known() {
		t.Errorf("it is %+v", got)
	}
	if again := quotient(around(1.1, 0.1), around(1, 0.1)); again != got {
		t.Errorf("asked again it is %+v", again)
	}
	if few := quotient([]float64{1, 2}, around(1, 0.1)); few.Known() || few.Center != 1.5 {
		t.Errorf("of two ratios it is %+v", few)
	}
}

func TestPairTables(t *testing.T) {
	unmeasured := pairOf("pgbouncer-session", nil, nil)
	unmeasured.pgbench, unmeasured.k6, unmeasured.required = nil, nil, false
	unmeasured.err = errors.New("not all of k6's 180 clients were ready in time")
	seen := pairOf("standby", around(1, 0.1), around(1.5, 0.1))
	seen.required = false
	pairs := []*pair{pairOf("pgpool", around(1.2, 0.05), around(1.21, 0.05)), seen, unmeasured}
	var out bytes.Buffer
	if err := conclude(&out, nil, pairs); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"pgpool                      2 simple   1.200 (1.", "\nall 1 ratios agree\n", " (differs)\n",
		"pgbouncer-session           2 simple   not measured: not all of k6's 180 clients",
		"25806    25806     0.800    0.800      25.0     25.0   1.00\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in:\n%s", want, out.String())
		}
	}
	for line := range strings.SplitSeq(out.String(), "\n") {
		if len(line) > 125 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

// Ctrl-C leaves tables of what was measured.
func TestConcludeEarly(t *testing.T) {
	half := pairOf("standby", around(1, 0.1), around(1, 0.1))
	half.pgbench = nil
	list, err := plan([]string{partThroughput}, options{clients: 10})
	if err != nil {
		t.Fatal(err)
	}
	list[0].pgbench, list[0].k6 = []float64{100}, []float64{100, 101}
	var out bytes.Buffer
	err = concludeEarly(&out, list, []*pair{pairOf("pgpool", around(1.2, 0.05), around(1.21, 0.05)), half})
	if err != errInterrupted || errInterrupted.ExitCode() != 130 {
		t.Errorf("the error is %v", err)
	}
	text := out.String()
	if !strings.Contains(text, "pgpool") || strings.Contains(text, "standby") || strings.Count(text, "10 clients") != 1 {
		t.Errorf("it printed\n%s", text)
	}
}

// What Go takes for a slot of a side is what k6 was told.
func TestPairCell(t *testing.T) {
	p := pair{paths: [2]string{"direct", "pgpool"}, clients: 90, protocol: "simple", role: "app", groups: 10, seed: 5}
	ends := [2]topology.Endpoint{{Host: "primary", Port: 5432, DBName: "lab"}, {Host: "pgpool", Port: 9999, DBName: "lab"}}
	cell, err := p.pairCell(ends, 10)
	if err != nil {
		t.Fatal(err)
	}
	var params alternation
	if err := json.Unmarshal(cell.Params, &params); err != nil {
		t.Fatal(err)
	}
	if cell.Clients != 180 || params.Other.Path != "pgpool" || !strings.Contains(params.Other.DSN, "host=pgpool") ||
		!strings.Contains(cell.DSN, "host=primary") || params.SlotMS != 370 || params.LeadMS != 60 {
		t.Errorf("the cell is %+v, its params are %+v", cell, params)
	}
	from := time.Unix(1700000000, 0)
	slots := p.slotsWithin(from, from.Add(time.Hour))
	if len(slots) != 40 || slots[0].Start.Before(from) {
		t.Fatalf("%d slots from %v", len(slots), slots[0].Start)
	}
	for _, s := range slots {
		at := number(s.Start) % int64(len(params.Order))
		if s.Side.String() != params.Order[at:at+1] || s.End.Sub(s.Start) != pgbench.SlotLength {
			t.Errorf("a slot is %+v, and k6 has %s there", s, params.Order[at:at+1])
		}
	}
	if number(slots[0].Start)%pgbench.GroupSlots != 0 {
		t.Error("the first slot isn't a group's first")
	}
	if short := p.slotsWithin(from, from.Add(pgbench.SlotLength)); len(short) != 0 {
		t.Errorf("in one slot's time there are %d", len(short))
	}
}

func TestPartOfK6(t *testing.T) {
	p := pair{paths: [2]string{"direct", "pgpool"}, clients: 2, groups: 1, seed: 5}
	from := time.Unix(1700000000, 0)
	slots := p.slotsWithin(from, from.Add(time.Hour))
	first := number(slots[0].Start)
	lines := map[pgbench.Side]string{}
	for i, s := range slots {
		lines[s.Side] += fmt.Sprintf("%d:%d:%d.5;", first+int64(i), 10*(int(s.Side)+1), 8*(int(s.Side)+1))
	}
	printed := fmt.Sprintf("level=info msg=\"slots-A=%d:99:99;%s\" source=console\nslots-B=%s\nslots-A=%s\n", first-1,
		strings.TrimSuffix(lines[pgbench.A], ";"), strings.TrimSuffix(lines[pgbench.B], ";"),
		strings.TrimSuffix(lines[pgbench.A], ";"))
	seen := &summary.Summary{Ending: summary.Ending{Window: &summary.Window{Start: from, End: from.Add(time.Hour)}}}
	readings := []reading{{slots[0].Start, time.Second}, {slots[3].End, 3 * time.Second}}
	found, err := p.partOf(seen, printed, readings)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(found.clients[pgbench.A], []float64{20, 20}) ||
		!slices.Equal(found.clients[pgbench.B], []float64{40, 0}) {
		t.Errorf("clients did %v", found.clients)
	}
	if want := 16.5 / 17; len(found.ratios) != 1 || math.Abs(found.ratios[0]-want) > 1e-9 || found.cpu != 2*time.Second {
		t.Errorf("the ratios are %v, not %v; CPU is %v", found.ratios, want, found.cpu)
	}
	swapped := strings.NewReplacer("slots-A", "slots-B", "slots-B", "slots-A").Replace(printed)
	for name, spoiled := range map[string]string{"the other side's slots": swapped, "nothing": "",
		"no slot": fmt.Sprintf("slots-A=%d:1", first)} {
		if _, err := p.partOf(seen, spoiled, readings); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
