package pg

import (
	"strings"
	"testing"
)

func TestPipelineIsOneRoundTrip(t *testing.T) {
	for protocol := range protocols {
		s := connected(t, protocol)
		s.run(`const work = () => client.pipeline((p) => {
				for (let i = 0; i < 100; i++) p.query('SELECT $1::int AS i', i)
			});
			work();`)
		s.measured()
		if got := s.run(`work()[99][0].i`); got != "99" {
			t.Errorf("%s: the last result is %s", protocol, got)
		}
		m := s.measured()
		if trips := sum(m["pg_round_trips"]); trips != 1 || len(m["pg_pipeline"]) != 1 || sum(m["pg_rows"]) != 100 ||
			sum(m["pg_transactions"]) != 1 {
			t.Errorf("%s: 100 statements took %d round trips and %v", protocol, trips, m)
		}
	}
}

// What goes wrong with a pipeline leaves the connection as it was. Each text is one statement: of two the second one's
// rows would go to whoever comes after it.
func TestPipelinesOfTexts(t *testing.T) {
	const useSimple = "42601): pg.client({ protocol: 'simple' }) sends several statements in one text"
	several := map[string]string{"simple": "each text must be one statement", "extended": useSimple, "prepared": useSimple}
	for protocol := range protocols {
		s := connected(t, protocol)
		for name, test := range map[string]struct{ queued, want string }{
			"nothing": {``, `[] undefined`},
			"mixed": {`p.query('SELECT $1::int AS a', 7); p.exec('SELECT generate_series(1, $1::int)', 5);
				p.query({ name: 'named', sql: "SELECT 'x' AS b" })`, `[[{"a":7}],5,[{"b":"x"}]]`},
			"comments":       {`p.query('SELECT 1 AS a -- one'); p.query('SELECT 2 AS a -- two')`, `[[{"a":1}],[{"a":2}]]`},
			"several":        {`p.exec('SELECT 1; SELECT 2'); p.query('SELECT 3')`, several[protocol]},
			"server's error": {`p.exec('SELECT 1'); p.exec('SELECT 1 / $1::int', 0); p.exec('SELECT 2')`, "22012"},
			"throw":          {`p.exec('SELECT 1'); throw new Error('mine')`, "mine"},
			"bad argument":   {`p.exec('SELECT $1', () => {})`, "statement 1"},
		} {
			got := s.run(`try { JSON.stringify(client.pipeline((p) => { ` + test.queued + ` })) + ' undefined' }
				catch (e) { String(e) + ' ' + e.code }`)
			if !strings.Contains(got, test.want) {
				t.Errorf("%s, %s: came to %q, not %q", protocol, name, got, test.want)
			}
			if got := s.run(`client.query('SELECT 1 AS one')[0].one`); got != "1" {
				t.Errorf("%s, %s: afterwards got %s", protocol, name, got)
			}
		}
		if _, err := s.try(`client.pipeline([])`); err == nil || !strings.Contains(err.Error(), "wants a function") {
			t.Errorf("%s: a pipeline of no function threw %v", protocol, err)
		}
	}
}
