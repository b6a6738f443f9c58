package pgbench

import (
	"regexp"
	"strconv"
	"time"

	"pooler-lab/k6/summary"
)

// summary is the test as k6 would have written it. pgbench sends what it prepares in exchanges of their own, the first
// of each client outside of a transaction. It opens one connection before those of its clients, and sends nothing over
// it.
func (t Test) summary(p *process, seen *tally) *summary.Summary {
	trend, prepares := "pg_statement", 0
	if t.Explicit {
		trend = "pg_transaction"
	}
	if t.Protocol == "prepared" {
		prepares = len(seen.began)
	}
	s := &summary.Summary{
		Trends: map[string]map[summary.Phase]summary.Trend{trend: {summary.Whole: seen.whole().trend()}},
		Counters: map[string]map[summary.Phase]float64{
			"pg_transactions":         {},
			"pg_prepare_transactions": {summary.Whole: float64(prepares)},
			"pg_connections":          {summary.Whole: float64(t.Clients + 1)},
			"pg_silent_connections":   {summary.Whole: 1},
		},
		First: map[string]summary.Trend{}, Later: map[string]summary.Trend{}, Statements: map[string]summary.Trend{},
	}
	measured := seen.times[summary.Measured].trend()
	if measured.Count > 0 {
		s.Trends[trend][summary.Measured] = measured
	}
	done := s.Counters["pg_transactions"]
	done[summary.Whole], done[summary.Measured] = float64(s.Trends[trend][summary.Whole].Count), float64(measured.Count)
	s.Errors = append([]summary.Error{}, seen.errors()...)
	s.Window = &summary.Window{Start: seen.from, End: seen.to, Seconds: seen.to.Sub(seen.from).Seconds(), Ready: t.Clients}
	if t.Transactions > 0 || t.Warmup == 0 {
		s.Finish = t.finish(p, seen, float64(measured.Count))
		s.Window.Seconds = s.Finish.Seconds
		s.Window.End = seen.from.Add(seconds(s.Finish.Seconds))
	}
	return s
}

// finish says how clients got done, of a test whose window begins with connecting. pgbench doesn't say how long a
// single client took to connect, and none begins before all are connected: that time stands for each.
func (t Test) finish(p *process, seen *tally, transactions float64) *summary.Finish {
	connecting, connected := p.connecting()
	f := &summary.Finish{Finished: seen.finished(t.Transactions), Seconds: seen.to.Sub(seen.from).Seconds()}
	if connected {
		f.Connected, f.ConnectedSeconds, f.MeanConnectSeconds = t.Clients, connecting, connecting
	}
	if t.Transactions > 0 && !seen.last.IsZero() {
		f.Seconds = seen.last.Sub(seen.from).Seconds()
	}
	f.Starved = t.Clients - seen.finished(1)
	f.TPSWithConnect = transactions / f.Seconds
	if working := f.Seconds - connecting; working > 0 {
		f.TPS = transactions / working
	}
	return f
}

var connectionTime = regexp.MustCompile(`(?m)^initial connection time = ([0-9.]+) ms`)

// connecting is how many seconds it took until all clients were connected, as pgbench reports it; a pgbench whose time
// was over before that doesn't.
func (p *process) connecting() (seconds float64, known bool) {
	found := connectionTime.FindStringSubmatch(p.report.String())
	if found == nil {
		return 0, false
	}
	ms, err := strconv.ParseFloat(found[1], 64)
	return ms / 1000, err == nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
