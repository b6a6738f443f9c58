package link

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
	"unicode/utf8"
)

// Row is what is shown of a link: what it is set to and what it is just now.
type Row struct {
	Link        string   `json:"link"`
	HostPort    int      `json:"host_port"` // of 127.0.0.1 on the host; 0: not published
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

	set string
}

// rows reads those links from toxiproxy and measures them, all at once.
func (l *lab) rows(ctx context.Context, links []string) ([]Row, error) {
	snapshot, stalled, err := l.client.Read(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(links))
	var all sync.WaitGroup
	for i, name := range links {
		p, ok := snapshot.Proxy(name)
		if wrong, is := stalled[name]; is {
			rows[i] = l.rowOf(Proxy{Name: name, Enabled: true})
			rows[i].set, rows[i].Problem = "?", "stalled: "+wrong.Error()
			continue
		}
		if !ok {
			rows[i] = Row{
				Link:    name,
				set:     "-",
				Problem: "missing: toxiproxy doesn't have it; restart that service to have it read its file again",
			}
			continue
		}
		all.Go(func() { rows[i] = l.row(ctx, p) })
	}
	all.Wait()
	return rows, nil
}

func (l *lab) row(ctx context.Context, p Proxy) Row {
	row := l.rowOf(p)
	if p.Name == ReplicationLink {
		row.Replication = l.replicationNow(ctx)
	}
	row.RoundTripMS, row.Problem = l.roundTrip(ctx, p)
	return row
}

// rowOf is a link's row without anything measured.
func (l *lab) rowOf(p Proxy) Row {
	set := p.Settings()
	return Row{
		Link:      p.Name,
		HostPort:  l.set.HostPort(p.Name),
		LatencyMS: set.LatencyMS,
		JitterMS:  set.JitterMS,
		DownKBps:  set.DownKBps,
		UpKBps:    set.UpKBps,
		Cut:       !p.Enabled,
		Others:    append([]string{}, p.foreign()...),
		UsedBy:    append([]string{}, l.set.PathsOver(p.Name)...),
		set:       p.Describe(),
	}
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
	ctx, cancel := context.WithTimeout(ctx, patience(p.Settings()))
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
func patience(set Settings) time.Duration {
	return min(5*time.Second+10*time.Duration(set.LatencyMS+set.JitterMS)*time.Millisecond, 20*time.Second)
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

// tableWidth is what the table keeps to, as far as its links' names and settings let it.
const tableWidth = 120

// footnotes are the long texts of a table, each once, beneath it.
type footnotes []string

func (f *footnotes) mark(text string) string {
	i := slices.Index(*f, text)
	if i < 0 {
		i = len(*f)
		*f = append(*f, text)
	}
	return fmt.Sprintf("(%d)", i+1)
}

func writeTable(w io.Writer, rows []Row) error {
	var notes footnotes
	cells := [][]string{{"LINK", "PORT", "SET", "MEASURED"}}
	usedBy := []string{"USED BY"}
	for _, row := range rows {
		port := "-"
		if row.HostPort > 0 {
			port = fmt.Sprintf("127.0.0.1:%d", row.HostPort)
		}
		cells = append(cells, []string{row.Link, port, row.set, row.measured(&notes)})
		usedBy = append(usedBy, row.usedBy(&notes))
	}
	left := tableWidth
	for column := range cells[0] {
		widest := 0
		for _, row := range cells {
			widest = max(widest, utf8.RuneCountInString(row[column]))
		}
		left -= widest + 2
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, row := range cells {
		lines := fold(usedBy[i], max(left, 40))
		fmt.Fprintf(table, "%s\t%s\n", strings.Join(row, "\t"), lines[0])
		for _, line := range lines[1:] {
			fmt.Fprintf(table, "%s%s\n", strings.Repeat("\t", len(row)), line)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for i, note := range notes {
		lines := strings.Join(fold(note, tableWidth-4), "\n    ")
		if _, err := fmt.Fprintf(w, "(%d) %s\n", i+1, lines); err != nil {
			return err
		}
	}
	return nil
}

// fold breaks a text into lines of at most width letters, where its words let it; there is at least one.
func fold(text string, width int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}

// measured is the round trip, or what is the matter with the link; why stands in a footnote.
func (r Row) measured(notes *footnotes) string {
	if r.RoundTripMS != nil {
		return fmt.Sprintf("%.2f ms", *r.RoundTripMS)
	}
	state, why, _ := strings.Cut(r.Problem, ": ")
	switch {
	case why == "":
		return r.Problem
	case state == "off" && r.set != "-":
		return "off " + notes.mark(why+"; what such a link is set to has no effect while its server is off")
	}
	return state + " " + notes.mark(why)
}

func (r Row) usedBy(notes *footnotes) string {
	switch {
	case r.Replication == "straight":
		return "replication, which goes straight to the standby just now"
	case r.Replication == "over the link":
		return "replication"
	case r.Replication != "":
		state, why, _ := strings.Cut(r.Replication, ": ")
		return "replication (" + state + ") " + notes.mark(why)
	}
	return strings.Join(r.UsedBy, ", ")
}

func writeJSON(w io.Writer, rows []Row) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(rows)
}
