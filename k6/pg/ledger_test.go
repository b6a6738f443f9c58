package pg

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"
	"time"

	"pooler-lab/k6/summary"
	"pooler-lab/test/testkit"
)

// Cells that run at once have one window, a summary each, and one ledger that misses no attempt.
func TestCellsAtOnce(t *testing.T) {
	folder := t.TempDir()
	file, opened := filepath.Join(folder, "together.json"), filepath.Join(folder, "opened")
	own := newLabScript(t, `
		const text = 'SELECT $1::int / $2::int';
		export const own = workload((client, { path }, attempt) => {
			client.exec(text, attempt, path === 'second' && attempt === 3 ? 0 : 1);
			if (attempt === 2) client.exec("DO 'BEGIN RAISE WARNING ''mind''; END'");
			return ['node of ' + path, attempt];
		});`)
	trial := map[string]any{"together": true, "deadline_seconds": 300, "at_most_seconds": 0.5, "opened_file": opened}
	var cells []any
	for _, path := range []string{"first", "second"} {
		cells = append(cells, cellOf(path, testDSN(t), map[string]any{"seconds": 0.5, "rate": 40, "deadline_seconds": 300,
			"events": []any{map[string]any{"at": 0, "do": "kill primary"}}}))
	}
	trial["cells"] = cells
	if out, err := labCommand(t, "LAB_TRIAL", trial, file, own).CombinedOutput(); err != nil {
		t.Fatalf("k6: %v\n%s", err, out)
	}
	test, err := summary.Read(file)
	testkit.OK(t, err)
	rows, err := summary.ReadLedger(summary.LedgerOf(file))
	testkit.OK(t, err)
	moment, err := os.ReadFile(opened)
	testkit.OK(t, err)
	if len(test.Sides) != 2 || test.Sides[0].Window == nil ||
		!reflect.DeepEqual(test.Sides[0].Window, test.Sides[1].Window) {
		t.Fatalf("the summaries are %+v", test.Sides)
	}
	if w := test.Sides[1].Window; w.Ready != 2 || w.Failed != 0 {
		t.Errorf("of the second cell's clients %d were ready and %d failed", w.Ready, w.Failed)
	}
	if at, err := time.Parse(time.RFC3339Nano, string(moment)); err != nil || !at.Equal(test.Sides[0].Window.Start) {
		t.Errorf("the window opened at %s (%v), by the summary at %v", moment, err, test.Sides[0].Window.Start)
	}
	next, failed := map[int]int{}, 0
	for _, a := range rows {
		if next[a.Client]++; a.Number != next[a.Client] {
			t.Errorf("of client %d the attempt %d comes after %d others", a.Client, a.Number, next[a.Client]-1)
		}
		want, server, transaction := "ok", "node of "+a.Path, strconv.Itoa(a.Number)
		if a.Cell == 1 && a.Number == 3 {
			want, server, transaction = "22012", "", ""
			failed++
		}
		if warned := a.Number == 2; warned != (a.Warning == "mind") {
			t.Errorf("attempt %d has the warning %q", a.Number, a.Warning)
		}
		if a.Path != []string{"first", "second"}[a.Cell] || a.Workload != "own" || a.Outcome != want || a.Server != server ||
			a.Transaction != transaction || a.End.Before(a.Begin) {
			t.Errorf("a row is %+v", a)
		}
	}
	counted := int64(0)
	for side, s := range test.Sides {
		counted += s.Trends["pg_attempt"][summary.Whole].Count
		if errors := len(s.Errors); errors != side {
			t.Errorf("cell %d has the errors %+v", side, s.Errors)
		}
	}
	if int64(len(rows)) != counted || len(next) != 4 || failed != 2 {
		t.Errorf("%d rows of %d clients, %d failed, and k6 counted %d attempts", len(rows), len(next), failed, counted)
	}
}

// A statement that takes too long is cancelled by the server, and the client keeps its connection. One that is in time
// isn't cancelled.
func TestServerIsAskedToCancel(t *testing.T) {
	s := newScript(t, New()).started()
	s.set("dsn", testDSN(t))
	s.gives(`const client = pg.client({ dsn, queryTimeout: 0.02 });
		const code = (sql) => { try { client.exec(sql); return 'ok' } catch (error) { return error.code } };
		client.connect(); [code('SELECT pg_sleep(3600)'), client.connected()].join()`, "57014,true")
	s.run(`const unhurried = pg.client({ dsn, queryTimeout: 3600 }); unhurried.connect()`)
	s.gives(`unhurried.exec('SELECT 1')`, "1")
}

// A server that doesn't answer in time loses its client, whether that is in the middle of a statement or a connect.
func TestClientGivesUp(t *testing.T) {
	port := testkit.StandIn(t, func(conn net.Conn) {
		testkit.Serve(conn, func(sql string) ([]string, bool) {
			if sql == "never" {
				_, _ = conn.Read(make([]byte, 1)) // until the client is gone
				return nil, false
			}
			return []string{"1"}, true
		})
	})
	s := newScript(t, New()).started()
	dsn, _ := json.Marshal(fmt.Sprintf("host=127.0.0.1 port=%d user=u dbname=d", port))
	s.run(`const client = pg.client({ dsn: ` + string(dsn) + `, protocol: 'simple', timeout: 0.05 });
		const code = (sql) => {
			try { client.exec(sql); return 'ok' } catch (error) { return error.code }
		};`)
	s.gives(`client.connect(); [code('SELECT 1'), code('never'), client.connected(), code('SELECT 1')].join()`,
		"ok,timeout,false,dropped")
	s.gives(`client.connect(); code('SELECT 1')`, "ok")
}
