package link

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
	"pooler-lab/internal/wording"
)

// Row is what is shown of a link: what it is set to and what it is just now.
type Row struct {
	Link     string `json:"link"`
	HostPort int    `json:"host_port"` // of 127.0.0.1 on the host; 0: not published
	Settings
	Cut         bool     `json:"cut"`
	Others      []string `json:"others"`        // faults that aren't the lab's
	RoundTripMS *float64 `json:"round_trip_ms"` // null: not measured, and Problem says why
	Problem     string   `json:"problem"`       // beside a round trip: why clients don't come through all the same
	UsedBy      []string `json:"used_by"`       // paths that can go over the link
	Replication string   `json:"replication"`   // of ReplicationLink alone: straight, over the link, or unknown: why

	set string
}

// rows are those links, measured, all at once. Why a link couldn't be read stands in unread.
func (l *latencyCommand) rows(ctx context.Context, links []string, now Snapshot, unread map[string]error) []Row {
	rows := make([]Row, len(links))
	var all sync.WaitGroup
	for i, name := range links {
		if wrong := unread[name]; wrong != nil {
			state := map[bool]string{true: "stalled", false: "missing"}[isStalled(wrong)]
			rows[i] = l.rowOf(Proxy{Name: name, Enabled: true})
			rows[i].set, rows[i].Problem = "?", state+": "+wrong.Error()
			continue
		}
		p, _ := now.Proxy(name)
		all.Go(func() {
			rows[i] = l.rowOf(p)
			rows[i].RoundTripMS, rows[i].Problem = l.roundTrip(ctx, p)
			if name == ReplicationLink {
				rows[i].Replication = l.replicationNow(ctx)
			}
		})
	}
	all.Wait()
	return rows
}

// rowOf is a link's row without anything measured.
func (l *latencyCommand) rowOf(p Proxy) Row {
	set := p.Describe()
	if p.Bare() {
		set = "-"
	}
	return Row{
		Link:     p.Name,
		HostPort: l.set.HostPort(p.Name),
		Settings: p.Settings(),
		Cut:      !p.Enabled,
		Others:   append([]string{}, p.Others()...),
		UsedBy:   append([]string{}, l.set.PathsOver(p.Name)...),
		set:      set,
	}
}

// roundTrip measures a link, or says why it can't.
func (l *latencyCommand) roundTrip(ctx context.Context, p Proxy) (*float64, string) {
	known, err := l.set.Link(p.Name)
	if err != nil {
		return nil, err.Error()
	}
	if off := known.Unavailable; off != "" {
		return nil, "off: " + off
	}
	if elsewhere := Elsewhere(known, p); elsewhere != "" {
		return nil, "elsewhere: " + elsewhere + ": 'scripts/latency off " + p.Name + "' puts it back"
	}
	if !p.Enabled {
		return nil, "cut"
	}
	ctx, cancel := context.WithTimeout(ctx, p.Settings().Patience())
	defer cancel()
	probe := NewProbe(l.host, known)
	defer probe.Close()
	measured, err := probe.RoundTrip(ctx)
	if err != nil {
		return nil, "unreachable: " + session.Reason(err, known.Service())
	}
	ms := float64(measured.Median.Microseconds()) / 1000
	return &ms, holding(ctx, known)
}

// holding says that the pooler that the link leads to holds its clients back; empty where it doesn't, or leads to none.
func holding(ctx context.Context, known topology.Link) string {
	kind, err := pooler.Find(known.Pooler)
	if err != nil {
		return ""
	}
	p := kind.Open(pooler.Login{Service: known.Service(), Password: topology.LabPassword()})
	defer p.Close()
	switch held, err := p.Held(ctx, ""); {
	case err != nil:
		return "unknown: whether " + known.Service() + " holds clients back: " + session.Reason(err, known.Service())
	case held != "":
		return "held back: " + held + "; 'scripts/reset --keep-data' ends that"
	}
	return ""
}

func (l *latencyCommand) replicationNow(ctx context.Context) string {
	over, err := l.replication.overLink(ctx)
	switch {
	case err != nil:
		return "unknown: " + session.Reason(err, "standby")
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
	const gap = "  "
	t := wording.NewTable(gap)
	t.AppendHeader(table.Row{"LINK", "PORT", "SET", "MEASURED", "USED BY"})
	for _, row := range rows {
		port := "-"
		if row.HostPort > 0 {
			port = fmt.Sprintf("127.0.0.1:%d", row.HostPort)
		}
		t.AppendRow(table.Row{row.Link, port, row.set, row.measured(&notes), row.usedBy(&notes)})
	}
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 5, Hidden: true}})
	left := tableWidth - text.LongestLineLen(t.Render()) - len(gap)
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 5, WidthMax: max(left, 40), WidthMaxEnforcer: text.WrapSoft}})
	if _, err := fmt.Fprintln(w, wording.Trim(t.Render())); err != nil {
		return err
	}
	for i, note := range notes {
		if _, err := fmt.Fprintf(w, "(%d) %s\n", i+1, indented(note, tableWidth-4)); err != nil {
			return err
		}
	}
	return nil
}

// measured is the round trip, or what is the matter with the link; why stands in a footnote.
func (r Row) measured(notes *footnotes) string {
	state, why, _ := strings.Cut(r.Problem, ": ")
	switch {
	case r.RoundTripMS != nil && state != "":
		return fmt.Sprintf("%.2f ms, %s %s", *r.RoundTripMS, state, notes.mark(why))
	case r.RoundTripMS != nil:
		return fmt.Sprintf("%.2f ms", *r.RoundTripMS)
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
