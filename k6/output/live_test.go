package output

import (
	"bytes"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"

	"pooler-lab/k6/summary"
)

// A liveTrial is an output live that has been running for a second.
type liveTrial struct {
	*live
	given
	out bytes.Buffer
}

func newLiveTrial(t *testing.T) *liveTrial {
	t.Helper()
	tr := &liveTrial{}
	made, err := newLive(output.Params{ConfigArgument: "pg_statement", StdOut: &tr.out})
	if err != nil {
		t.Fatal(err)
	}
	tr.live = made.(*live)
	tr.given = newGiven(tr.live)
	tr.begun = time.Now().Add(-time.Second)
	return tr
}

// line flushes and returns what was printed.
func (tr *liveTrial) line(t *testing.T) summary.Second {
	t.Helper()
	tr.out.Reset()
	tr.flush()
	var line summary.Second
	if err := json.Unmarshal(tr.out.Bytes(), &line); err != nil {
		t.Fatalf("%v in %q", err, tr.out.String())
	}
	return line
}

func TestSecondOfEachPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newLiveTrial(t)
		direct := map[string]string{"path": "direct"}
		tr.add("pg_statement", metrics.Trend, direct, 4, 1, 3, 2, 10)
		tr.add("pg_transactions", metrics.Counter, direct, 3, 2)
		tr.add("pg_connect", metrics.Trend, map[string]string{"path": "direct", "connect": "later"}, 7, 9, 8)
		tr.add("pg_transaction", metrics.Trend, direct, 100) // isn't the latency here
		tr.add("pg_errors", metrics.Counter, map[string]string{"path": "pgpool", "code": "53300"}, 1, 1)
		tr.add("pg_errors", metrics.Counter, map[string]string{"path": "pgpool", "code": "cancelled"}, 1)
		tr.add("vus", metrics.Trend, nil, 10)
		line := tr.line(t)
		if len(line.Paths) != 2 || !line.Time.Equal(time.Now()) {
			t.Fatalf("%+v", line)
		}
		d := line.Paths["direct"]
		if d.TPS != 5 || *d.P50MS != 3 || *d.P95MS != 10 || *d.ConnectMS != 8 || d.Errors != 0 {
			t.Errorf("%+v, p50 %v, p95 %v, connect %v", d, *d.P50MS, *d.P95MS, *d.ConnectMS)
		}
		n := d.ResponseTime.Counts
		if d.Transactions != 5 || n[3] != 1 || n[4] != 1 || n[5] != 2 || n[6] != 1 || d.ConnectTime.Counts[6] != 3 {
			t.Errorf("%d transactions, response times %+v, connects %+v", d.Transactions, d.ResponseTime, d.ConnectTime)
		}
		p := line.Paths["pgpool"]
		if p.TPS != 0 || p.P50MS != nil || p.ConnectMS != nil || p.Errors != 2 || len(p.Codes) != 1 || p.Codes["53300"] != 2 {
			t.Errorf("%+v", p)
		}
	})
}

func TestPathThatFallsSilentHasNoTransactions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newLiveTrial(t)
		tr.add("pg_transactions", metrics.Counter, map[string]string{"path": "direct"}, 5)
		tr.line(t)
		tr.begun = time.Now().Add(-time.Second)
		if p, ok := tr.line(t).Paths["direct"]; !ok || p.TPS != 0 || p.Errors != 0 {
			t.Errorf("%+v, %v", p, ok)
		}
	})
}

func TestPieceOfASecondIsNotPrinted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newLiveTrial(t)
		tr.begun = time.Now()
		if tr.flush(); tr.out.Len() > 0 {
			t.Errorf("printed %q", tr.out.String())
		}
	})
}
