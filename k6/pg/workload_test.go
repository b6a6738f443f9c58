package pg

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newLesson writes a lesson that has workloads of its own and returns its file.
func newLesson(t *testing.T, workloads string) string {
	t.Helper()
	lib, err := filepath.Abs("../lib/cell.js")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "09-own.js")
	text := `import { clientTo, count, lesson, observe } from '` + lib + `';
		export { turn as default, handleSummary } from '` + lib + `';
		export const options = lesson(() => ({ lesson: '09-own', groups: [{ name: 'own', workload: ['own', 'select'], params: { most: 3 } }] }), { ` + workloads + ` });`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestOwnWorkload(t *testing.T) {
	own := newLesson(t, `own: {
		warm: 1,
		setup(client) { client.exec("SET application_name = 'own'") },
		turn(client, { params }) {
			const rows = client.query({ name: 'series', sql: 'SELECT n, current_setting(\'application_name\') AS name FROM generate_series(1, $1::int) AS n' }, params.most);
			if (rows[0].name === 'own') count('lab_set_up');
			count('lab_rows', rows.length);
			observe('lab_length', 2.5);
		},
		statements: ['series'], counters: ['lab_set_up', 'lab_rows', 'lab_never'], trends: ['lab_length'],
	}`)
	f := runCell(t, own, map[string]any{"workload": "own", "params": map[string]any{"most": 3}})
	turns := f.Counters["pg_transactions"]
	if turns == 0 || f.Counters["lab_set_up"] != turns || f.Counters["lab_rows"] != 3*turns || f.Counters["lab_never"] != 0 {
		t.Errorf("the counters are %v", f.Counters)
	}
	if f.Statements["series"]["count"] != turns || f.inWindow("lab_length") != turns {
		t.Errorf("of %v turns %v statements and %v values were seen", turns, f.Statements, f.inWindow("lab_length"))
	}
}

func TestOwnWorkloadAlone(t *testing.T) {
	own := newLesson(t, `own: { turn(client, { params }) { count('lab_most', params.most) }, counters: ['lab_most'] }`)
	alone := []string{"LAB_DSN=" + testDSN(t), "LAB_SECONDS=0.5", "LAB_WARMUP_SECONDS=0.5"}
	if out := string(runK6(t, alone, "run", "--quiet", own)); !strings.Contains(out, "direct: own, 10 clients") || !strings.Contains(out, "lab_most") {
		t.Errorf("alone it printed\n%s", out)
	}
}

func TestUnknownWorkload(t *testing.T) {
	out, err := k6(findK6(t), nil, "inspect", newLesson(t, `other: { turn() {} }`)).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no workload own") {
		t.Errorf("a group with a workload that isn't there: %v\n%s", err, out)
	}
}

func TestFixedWork(t *testing.T) {
	for name, test := range map[string]struct {
		cell map[string]any
		own  string
		want [3]int // connected, finished, starved
		code string
	}{
		"kept":      {nil, `turn(client) { client.exec('SELECT 1') }`, [3]int{4, 4, 0}, ""},
		"reconnect": {nil, `keeps: false, turn(client) { client.exec('SELECT 1') }`, [3]int{4, 4, 0}, ""},
		"pods":      {map[string]any{"pods": 2, "pod_pool": 1}, `turn(client) { client.exec('SELECT 1') }`, [3]int{4, 4, 0}, ""},
		"starving":  {map[string]any{"seconds": 1}, `turn(client) { client.exec('SELECT pg_sleep(30)') }`, [3]int{4, 0, 4}, "cancelled"},
		"failing":   {nil, `turn(client) { client.exec('SELECT 1 / 0') }`, [3]int{4, 0, 4}, "22012"},
		"refused":   {map[string]any{"dsn": "host=127.0.0.1 port=1"}, `turn(client) { client.exec('SELECT 1') }`, [3]int{0, 0, 0}, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			cell := map[string]any{"workload": "own", "clients": 4, "transactions": 5, "seconds": 20}
			maps.Copy(cell, test.cell)
			f := runCell(t, newLesson(t, `own: { `+test.own+` }`), cell)
			if got := [3]int{f.Finish.Connected, f.Finish.Finished, f.Finish.Starved}; got != test.want {
				t.Errorf("connected, finished and starved are %v, not %v", got, test.want)
			}
			done := float64(5 * test.want[1])
			if f.Counters["pg_transactions"] != done || f.Window.Seconds > 2 || f.Finish.TPS < f.Finish.TPSWithConnect {
				t.Errorf("%v transactions, not %v; the rest is %+v", f.Counters["pg_transactions"], done, f.Finish)
			}
			if (test.code == "") != (len(f.Errors) == 0) || test.code != "" && test.code != "cancelled" && f.Errors[0].Code != test.code {
				t.Errorf("errors are %+v, not %q", f.Errors, test.code)
			}
		})
	}
}

func TestPods(t *testing.T) {
	f := runCell(t, newLesson(t, `own: { turn(client) { client.exec('SELECT pg_sleep(0.01)') } }`),
		map[string]any{"workload": "own", "clients": 6, "pods": 2, "pod_pool": 1})
	if opened := f.Metrics["pg_connections"].Values["count"]; opened != 2 {
		t.Errorf("two pods with a connection each opened %v", opened)
	}
	wait := f.Metrics["pg_pool_wait{phase:measure}"].Values
	if wait["med"] < 10 || wait["count"] < 10 || len(f.Errors) > 0 {
		t.Errorf("three clients a connection waited %v, with the errors %+v", wait, f.Errors)
	}
}

// TestPacedBeyondCapacity asks for ten times what the clients can do.
func TestPacedBeyondCapacity(t *testing.T) {
	f := runCell(t, newLesson(t, `own: { keeps: false, turn(client) { client.exec('SELECT pg_sleep(0.1)') } }`),
		map[string]any{"workload": "own", "clients": 2, "rate": 200, "seconds": 1})
	if f.Counters["pg_late"] == 0 || f.Counters["pg_dropped"] < 100 || f.Counters["pg_transactions"] == 0 || len(f.Errors) > 0 {
		t.Errorf("the counters are %v, the errors %+v", f.Counters, f.Errors)
	}
	if longest := f.Metrics["pg_response{phase:measure}"].Values["max"]; longest < 500 {
		t.Errorf("the longest response from a turn's due time was %v ms", longest)
	}
}

func TestClientTo(t *testing.T) {
	own := newLesson(t, `own: {
		turn(client, cell) {
			const other = clientTo('standby');
			other.connect();
			count('lab_seen', other.query('SELECT 1 AS n')[0].n);
			other.close();
		},
		counters: ['lab_seen'],
	}`)
	f := runCell(t, own, map[string]any{"workload": "own", "dsns": map[string]string{"standby": testDSN(t)}})
	if f.Counters["lab_seen"] == 0 || len(f.Errors) > 0 {
		t.Errorf("the counters are %v, the errors %+v", f.Counters, f.Errors)
	}
}
