package link

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// Row is what is shown of a link: what it was asked to be and what it is just now.
type Row struct {
	Link        string   `json:"link"`
	LatencyMS   int      `json:"latency_ms"`
	JitterMS    int      `json:"jitter_ms"`
	DownKBps    int      `json:"down_kbps"` // 0: no limit
	UpKBps      int      `json:"up_kbps"`
	Cut         bool     `json:"cut"`
	Others      []string `json:"others"`        // faults that aren't the lab's
	RoundTripMS *float64 `json:"round_trip_ms"` // null: not measured, and Problem says why
	Problem     string   `json:"problem"`
	UsedBy      []string `json:"used_by"`     // paths that can go over the link
	Replication string   `json:"replication"` // of ReplicationLink alone: straight, over the link, or unknown: why

	asked string
}

// rows reads those links from toxiproxy and measures them, all at once.
func (l *lab) rows(ctx context.Context, links []string) ([]Row, error) {
	snapshot, err := l.client.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(links))
	var all sync.WaitGroup
	for i, name := range links {
		p, ok := snapshot.Proxy(name)
		if !ok {
			rows[i] = Row{Link: name, Problem: "toxiproxy doesn't have it; restart that service to have it read its file again"}
			continue
		}
		all.Go(func() { rows[i] = l.row(ctx, p) })
	}
	all.Wait()
	return rows, nil
}

func (l *lab) row(ctx context.Context, p Proxy) Row {
	asked := p.asked()
	row := Row{
		Link: p.Name, LatencyMS: asked.LatencyMS, JitterMS: asked.JitterMS, DownKBps: asked.DownKBps, UpKBps: asked.UpKBps,
		Cut: !p.Enabled, Others: append([]string{}, p.foreign()...), UsedBy: append([]string{}, l.set.PathsOver(p.Name)...), asked: p.describeAsked(),
	}
	if p.Name == ReplicationLink {
		row.Replication = l.replicationNow(ctx)
	}
	row.RoundTripMS, row.Problem = l.roundTrip(ctx, p)
	return row
}

// roundTrip measures a link, or says why it can't.
func (l *lab) roundTrip(ctx context.Context, p Proxy) (*float64, string) {
	known, err := l.set.Link(p.Name)
	if err != nil {
		return nil, err.Error()
	}
	if off := known.Unavailable(); off != "" {
		return nil, "off: " + off
	}
	if !p.Enabled {
		return nil, "cut"
	}
	ctx, cancel := context.WithTimeout(ctx, patience(p.asked()))
	defer cancel()
	measured, err := measureLink(ctx, l.client.host(), known)
	if err != nil {
		return nil, "unreachable: " + reason(err, known)
	}
	ms := float64(measured.Median.Microseconds()) / 1000
	return &ms, ""
}

// patience is how long a link may take to connect and answer a few times; a person waits for the table, so a link
// that is slower than 20 seconds counts as not answering.
func patience(asked Settings) time.Duration {
	return min(5*time.Second+10*time.Duration(asked.LatencyMS+asked.JitterMS)*time.Millisecond, 20*time.Second)
}

func (l *lab) replicationNow(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	over, err := l.replication.OverLink(ctx)
	switch {
	case err != nil:
		standby, _ := l.set.Link("client-standby")
		return "unknown: " + reason(err, standby)
	case over:
		return "over the link"
	}
	return "straight"
}

func writeTable(w io.Writer, rows []Row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "LINK\tASKED\tMEASURED\tUSED BY")
	for _, row := range rows {
		measured := row.Problem
		if row.RoundTripMS != nil {
			measured = fmt.Sprintf("%.2f ms", *row.RoundTripMS)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", row.Link, row.asked, measured, row.usedBy())
	}
	return table.Flush()
}

func (r Row) usedBy() string {
	switch {
	case r.Replication == "straight":
		return "replication, but just now that comes straight from the primary"
	case r.Replication == "over the link":
		return "replication"
	case r.Replication != "":
		return "replication (" + r.Replication + ")"
	}
	return strings.Join(r.UsedBy, ", ")
}

func writeJSON(w io.Writer, rows []Row) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(rows)
}
