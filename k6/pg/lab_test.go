package pg

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/k6/summary"
)

// newLabScript writes a script of the lab whose workload is own, and returns its file.
func newLabScript(t *testing.T, own string) string {
	t.Helper()
	lib, err := filepath.Abs("../lib/lab.js")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "own.js")
	text := `import {
			account, clientNumber, counter, firstOf, options as cellOptions, trend, workload
		} from '` + lib + `';
		export const options = cellOptions();
		` + own + `
		export default own;`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// runCell runs a script of the lab for a cell of half a second unless changed says otherwise.
func runCell(t *testing.T, script string, changed map[string]any) *summary.Summary {
	t.Helper()
	cell := cellOf("direct", testDSN(t), map[string]any{"seconds": 0.5, "warmup_seconds": 0.5, "deadline_seconds": 300})
	maps.Copy(cell, changed)
	file := filepath.Join(t.TempDir(), "summary.json")
	out, err := labCommand(t, "LAB_CELL", cell, file, script).Output()
	if err != nil {
		t.Fatalf("k6: %v\n%s", err, out)
	}
	test, err := summary.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return test.Sides[0]
}

// TestTour runs the tour's open loops. Each iteration that is due in the window either has a response time, whenever it
// ends, or is dropped: that holds at any speed.
func TestTour(t *testing.T) {
	const rate = 20
	for _, workload := range []string{"connect", "select"} {
		s := runCell(t, "k6/lessons/00-tour.js", map[string]any{"workload": workload, "rate": rate, "warmup_seconds": 3})
		due := int64(math.Ceil(rate * s.Window.Seconds))
		responses, dropped := s.Trends["pg_response_time"][summary.Whole].Count, s.Count("pg_dropped", summary.Measured)
		if responses+dropped != due {
			t.Errorf("%s: %d iterations in %v s, and %d dropped", workload, responses, s.Window.Seconds, dropped)
		}
		if len(s.Errors) > 0 || s.Window.Seconds < 0.5 {
			t.Errorf("%s: the summary says %+v", workload, s)
		}
		if s.First["pg_connect_first_query"].Count != 1 || s.Later["pg_connect"].Count < 1 {
			t.Errorf("%s: first connects are %v, later ones %v", workload, s.First, s.Later)
		}
	}
}

func TestOwnWorkload(t *testing.T) {
	own := newLabScript(t, `
		const setUp = counter('lab_set_up');
		const counted = counter('lab_rows');
		const length = trend('lab_length');
		const series = {
			name: 'series',
			sql: 'SELECT n, current_setting(\'application_name\') AS name FROM generate_series(1, $1::int) AS n',
		};
		const setup = (client) => client.exec("SET application_name = 'own'");
		export const own = workload({ warm: 1, setup }, (client, { params }) => {
			const rows = client.query(series, params.most);
			if (rows[0].name === 'own') setUp.add();
			counted.add(rows.length);
			length.add(2.5);
		});`)
	s := runCell(t, own, map[string]any{"params": map[string]any{"most": 3}})
	iterations := s.Count("pg_transactions", summary.Measured)
	setUp, rows := s.Count("lab_set_up", summary.Measured), s.Count("lab_rows", summary.Measured)
	if iterations == 0 || setUp != iterations || rows != 3*iterations {
		t.Errorf("the counters are %v", s.Counters)
	}
	if s.Statements["series"].Count != iterations || s.Trends["lab_length"][summary.Measured].Count != iterations {
		t.Errorf("of %v iterations %v statements and %v values were seen", iterations, s.Statements, s.Trends["lab_length"])
	}
}

// A closed loop's window opens at a steady rate, which takes a second at least, and draws from the hot rows alone.
func TestSteadyWindowOfHotRows(t *testing.T) {
	own := newLabScript(t, `
		const beyond = counter('lab_beyond');
		export const own = workload((client) => {
			beyond.add(account() > 7 || firstOf(5) > 3 ? 1 : 0);
			client.exec('SELECT 1');
		});`)
	s := runCell(t, own, map[string]any{"hot_rows": 7, "settle_seconds": 15})
	if w := s.Window; w.WarmedSeconds < 1 || len(w.Tenths) != 10 {
		t.Errorf("the window is %+v", w)
	}
	if s.Count("pg_iterations", summary.Measured) == 0 || s.Count("lab_beyond", summary.Whole) != 0 {
		t.Errorf("the counters are %v", s.Counters)
	}
}

// TestIterations has iterations of three round trips, which connect or don't. It counts the whole test, warm-up
// included: an iteration that the window's edge cuts in two is whole there.
func TestIterations(t *testing.T) {
	const three = `(client) => { for (let i = 0; i < 3; i++) client.exec('SELECT pg_sleep(0.002)') }`
	const warmUp = 4 // iterations of two clients
	for name, test := range map[string]struct {
		own     string
		rate    int
		opening bool
		timed   bool // by a response time
	}{
		"kept":       {three, 0, false, false},
		"connecting": {`{ keeps: false }, ` + three, 0, true, true},
		"open loop":  {three, 20, false, true},
		"both":       {`{ keeps: false }, ` + three, 20, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			cell := map[string]any{"protocol": "simple", "rate": test.rate}
			s := runCell(t, newLabScript(t, `export const own = workload(`+test.own+`);`), cell)
			count := func(counter string) int64 { return s.Count(counter, summary.Whole) }
			iterations := count("pg_iterations")
			if iterations < warmUp || count("pg_transactions") != 3*iterations || len(s.Errors) > 0 {
				t.Errorf("%d iterations of 3 statements have %d, and the errors %+v", iterations, count("pg_transactions"),
					s.Errors)
			}
			if want := map[bool]int64{true: iterations}[test.opening]; count("pg_opening_iterations") != want {
				t.Errorf("%d of %d iterations connect", count("pg_opening_iterations"), iterations)
			}
			response, timed := s.Trends["pg_response_time"][summary.Whole], int64(0)
			if test.timed {
				timed = iterations
			}
			if test.rate > 0 {
				timed -= warmUp // none of these was due at a moment
			}
			if response.Count != timed {
				t.Errorf("%d of %d iterations have a response time, wanted %d", response.Count, iterations, timed)
			}
			least := 3 * s.Trends["pg_statement"][summary.Whole].Min
			if test.opening {
				least += s.Trends["pg_connect"][summary.Whole].Min
			}
			if timed > 0 && response.Min < least {
				t.Errorf("the fastest iteration took %v ms; its connect and statements take %v", response.Min, least)
			}
		})
	}
}

func TestWithoutACell(t *testing.T) {
	own := newLabScript(t, `export const own = workload((client) => client.exec('SELECT 1'));`)
	out, _ := k6(findK6(t), "LAB_CELL=", "run", "--quiet", own).CombinedOutput()
	if !strings.Contains(string(out), "start this script with scripts/k6") {
		t.Errorf("without a cell it printed\n%s", out)
	}
}

// A script with a mistake fails over and over, on the connections that it has.
func TestMistakeInAWorkload(t *testing.T) {
	own := newLabScript(t, `export const own = workload((client) => client.exek('SELECT 1'));`)
	for name, cell := range map[string]map[string]any{
		"window":    {},
		"open loop": {"rate": 50},
	} {
		if opened := runCell(t, own, cell).Count("pg_connections", summary.Whole); opened != 2 {
			t.Errorf("%s: two clients opened %d connections", name, opened)
		}
	}
}

func TestFixedWork(t *testing.T) {
	const one = `(client) => client.exec('SELECT 1')`
	for name, test := range map[string]struct {
		cell map[string]any
		own  string
		want [3]int // connected, finished, starved
		code string
	}{
		"kept":      {nil, one, [3]int{4, 4, 0}, ""},
		"reconnect": {nil, `{ keeps: false }, ` + one, [3]int{4, 4, 0}, ""},
		"instances": {map[string]any{"instances": 2, "instance_pool": 1}, one, [3]int{4, 4, 0}, ""},
		"starving": {map[string]any{"seconds": 1}, `(client) => client.exec('SELECT pg_sleep(30)')`,
			[3]int{4, 0, 4}, "cancelled"},
		"failing": {nil, `(client) => client.exec('SELECT 1 / 0')`, [3]int{4, 0, 4}, "22012"},
		"refused": {map[string]any{"dsn": "host=127.0.0.1 port=1"}, one, [3]int{0, 0, 0}, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			cell := map[string]any{"clients": 4, "transactions": 5, "seconds": 20}
			maps.Copy(cell, test.cell)
			s := runCell(t, newLabScript(t, `export const own = workload(`+test.own+`);`), cell)
			if got := [3]int{s.Finish.Connected, s.Finish.Finished, s.Finish.Starved}; got != test.want {
				t.Errorf("connected, finished and starved are %v, not %v", got, test.want)
			}
			done := int64(5 * test.want[1])
			transactions := s.Count("pg_transactions", summary.Measured)
			if transactions != done || s.Finish.TPS < s.Finish.TPSWithConnect {
				t.Errorf("%v transactions, not %v; the rest is %+v", transactions, done, s.Finish)
			}
			if (test.code == "") != (len(s.Errors) == 0) {
				t.Errorf("errors are %+v, not %q", s.Errors, test.code)
			} else if test.code != "" && test.code != "cancelled" && s.Errors[0].Code != test.code {
				t.Errorf("errors are %+v, not %q", s.Errors, test.code)
			}
		})
	}
}
