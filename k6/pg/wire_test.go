package pg

import (
	"testing"
)

func TestRoundTrips(t *testing.T) {
	for protocol := range protocols {
		s := connected(t, protocol)
		for _, test := range []struct {
			name, code string
			trips      map[string]int // by protocol; "" for all
		}{
			{"statement", `client.exec('SELECT $1::int', 1)`, map[string]int{"": 1, "prepared": 2}},
			{"again", `client.exec('SELECT $1::int', 2)`, map[string]int{"": 1}},
			{"many rows", `client.query('SELECT generate_series(1, 10000)')`, map[string]int{"": 1, "prepared": 2}},
			{"error", `try { client.exec('SELECT 1/0') } catch (e) {}`, map[string]int{"": 1, "prepared": 2}},
			{"transaction", `client.transaction((tx) => tx.exec('SELECT $1::int', 3))`, map[string]int{"": 3, "prepared": 5}},
			{"pipeline", `client.pipeline((p) => { for (let i = 0; i < 10; i++) p.exec('SELECT $1::int', i) })`,
				map[string]int{"": 1}},
			{"copy out", `client.copyOut('COPY (SELECT generate_series(1, 10000)) TO STDOUT')`, map[string]int{"": 1}},
			{"copy in", `client.exec('CREATE TEMPORARY TABLE t (id int)');
				client.copyIn('COPY t FROM STDIN', '1\n', { repeat: 10000 })`,
				map[string]int{"": 2, "prepared": 3}},
		} {
			want, ok := test.trips[protocol]
			if !ok {
				want = test.trips[""]
			}
			s.measured()
			s.run(test.code)
			if got := sum(s.measured()["pg_round_trips"]); got != want {
				t.Errorf("%s, %s: %d round trips, not %d", protocol, test.name, got, want)
			}
		}
	}
}

// An iteration's round trips count when it ends, the failed one's too.
func TestRoundTripsOfAnIteration(t *testing.T) {
	s := connected(t, "simple")
	s.run(`var iterations = pg.iterations({}); iterations.done()`)
	s.measured()
	for end, want := range map[string]int{"iterations.done()": 3, "iterations.failed('57014')": 3} {
		s.run(`client.exec('SELECT 1'); client.exec('SELECT 2')`)
		if early := s.measured()["pg_round_trips"]; len(early) != 0 {
			t.Errorf("before %s the round trips are %v", end, early)
		}
		s.run(`client.exec('SELECT 3'); ` + end)
		if got := sum(s.measured()["pg_round_trips"]); got != want {
			t.Errorf("%s: %d round trips, not %d", end, got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	s := connected(t, "simple")
	s.measured()
	s.run(`client.exec("SELECT repeat('x', 10000)")`)
	m := s.measured()
	// A Query message is a type, a length, the text and a zero.
	if sent := sum(m["pg_bytes_sent"]); sent != 1+4+len("SELECT repeat('x', 10000)")+1 {
		t.Errorf("%d bytes sent", sent)
	}
	if received := sum(m["pg_bytes_received"]); received < 10000 || received > 10200 {
		t.Errorf("%d bytes received", received)
	}
}

func TestReconnects(t *testing.T) {
	relay, dsn := newRelay(t, testDSN(t), nil)
	s := connectedTo(t, dsn, "simple")
	s.run(`client.exec('SELECT 1'); client.close(); client.connect()`)
	if m := s.measured(); len(m["pg_reconnects"]) != 0 {
		t.Errorf("a connect after close() counts as %v reconnects", m["pg_reconnects"])
	}
	(*relay.cut.Load()).Close()
	s.gives(`try { client.exec('SELECT 1') } catch (e) { e.code + ' ' + client.connected() }`, "dropped false")
	s.gives(`client.connect(); client.exec('SELECT 1')`, "1")
	if m := s.measured(); sum(m["pg_reconnects"]) != 1 {
		t.Errorf("pg_reconnects is %v", m["pg_reconnects"])
	}
}
