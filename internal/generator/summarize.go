package generator

import (
	"regexp"
	"strconv"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/shared"
	"pooler-lab/k6/summary"
)

// summary is the cell as k6 would have written it. pgbench sends what it prepares in exchanges of their own, the first
// of each client outside of a transaction. It opens one connection before those of its clients, and sends nothing over
// it.
func (p *pgbench) summary(seen *tally) *summary.Summary {
	c, trend, prepares := p.cell, "pg_statement", 0
	if lesson.Explicit(c.PgbenchScript) {
		trend = "pg_transaction"
	}
	if c.Protocol == "prepared" {
		prepares = len(seen.began)
	}
	whole, measured := summary.TrendOf(seen.whole), summary.TrendOf(seen.measured)
	s := &summary.Summary{
		Trends: map[string]map[summary.Phase]summary.Trend{trend: {summary.Whole: whole}},
		Counters: map[string]map[summary.Phase]float64{
			"pg_transactions": {
				summary.Whole: float64(whole.Count), summary.Measured: float64(measured.Count),
			},
			"pg_prepare_transactions": {summary.Whole: float64(prepares)},
			"pg_connections":          {summary.Whole: float64(c.Clients + 1)},
			"pg_silent_connections":   {summary.Whole: 1},
		},
		First: map[string]summary.Trend{}, Later: map[string]summary.Trend{}, Statements: map[string]summary.Trend{},
	}
	if measured.Count > 0 {
		s.Trends[trend][summary.Measured] = measured
	}
	s.Errors = seen.errors()
	s.Window = &summary.Window{Start: seen.from, End: seen.to, Seconds: seen.to.Sub(seen.from).Seconds(),
		Ready: c.Clients, WarmedSeconds: p.warmed.Seconds()}
	if c.Transactions > 0 || c.Warmup == 0 {
		s.Finish = p.finish(seen)
		s.Window.Seconds = s.Finish.Seconds
		s.Window.End = seen.from.Add(shared.Seconds(s.Finish.Seconds))
	} else {
		s.Window.Tenths = seen.tenths[:]
	}
	return s
}

// finish says how clients got done, of a cell whose window begins with connecting. pgbench doesn't say how long a
// single client took to connect, and none begins before all are connected: that time stands for each.
func (p *pgbench) finish(seen *tally) *summary.Finish {
	f := &summary.Finish{Finished: seen.finished(p.cell.Transactions), Starved: p.cell.Clients - seen.finished(1),
		Seconds: seen.to.Sub(seen.from).Seconds()}
	if connecting, connected := p.connecting(); connected {
		f.Connected, f.ConnectedSeconds, f.MeanConnectSeconds = p.cell.Clients, connecting, connecting
	}
	if p.cell.Transactions > 0 && !seen.last.IsZero() {
		f.Seconds = seen.last.Sub(seen.from).Seconds()
	}
	f.AddRates(float64(seen.measured.Count()))
	return f
}

var connectionTime = regexp.MustCompile(`(?m)^initial connection time = ([0-9.]+) ms`)

// connecting is how many seconds it took until all clients were connected, as pgbench reports it; a pgbench whose time
// was over before that doesn't.
func (p *pgbench) connecting() (seconds float64, known bool) {
	found := connectionTime.FindStringSubmatch(p.report.String())
	if found == nil {
		return 0, false
	}
	ms, err := strconv.ParseFloat(found[1], 64)
	return ms / 1000, err == nil
}
