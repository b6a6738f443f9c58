package tool

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pooler-lab/internal/link"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/topology"
)

// patience is how long one connect may take, its first query included.
const patience = 30 * time.Second

// everyLink is the name for each path's own links.
const everyLink = "all"

// connectOptions are what a person may choose.
type connectOptions struct {
	link     string
	connects int
	withTLS  bool
}

// NewConnectCommand returns `lab connect`.
func NewConnectCommand(underWay link.UnderWay) *cobra.Command {
	var o connectOptions
	command := &cobra.Command{
		Use:   "connect [PATH]...",
		Short: "Connect five times in a row on each path and show the phases, in microseconds",
		Long: `Connects five times in a row on each path as role ` + user + `, asks SELECT 1, and shows a line for each
connect, in microseconds. Without a PATH it takes every path that starts at another place.

Without --link a path has no toxiproxy in it. With a link it goes over that one, with
whatever latency the link has just now ('scripts/latency' shows and sets it).`,
		Example: "  scripts/connect direct pgbouncer-transaction\n  scripts/connect --link all",
		RunE: func(command *cobra.Command, args []string) error {
			if o.connects < 1 {
				return fmt.Errorf("--connects %d: give a whole number above 0, such as 5", o.connects)
			}
			set, err := topology.Load(topology.Root())
			if err != nil {
				return err
			}
			places, err := choosePlaces(set, args, o.link)
			if err != nil {
				return err
			}
			if what, busy := underWay(); busy {
				fmt.Fprintf(command.ErrOrStderr(), "%s is running: it shares the machine with these connects\n", what)
			}
			return show(command.Context(), command.OutOrStdout(), places, o)
		},
	}
	command.Flags().StringVar(&o.link, "link", "", "go over `LINK`; 'all': each path over its own links")
	command.Flags().IntVarP(&o.connects, "connects", "n", 5, "`N` connects on each path")
	command.Flags().BoolVar(&o.withTLS, "tls", false, "use TLS, without checking the certificate")
	return command
}

// A place is where the connects of one path go.
type place struct {
	path     string
	endpoint topology.Endpoint
	link     string // that it goes over, or ""
}

// choosePlaces returns where to connect for the paths that are named, or for every one that can be used and that
// differs from those before it.
func choosePlaces(set *topology.Set, names []string, link string) ([]place, error) {
	if link != "" && link != everyLink {
		if _, err := set.Link(link); err != nil {
			return nil, err
		}
	}
	all := len(names) == 0
	if all {
		names = set.PathNames()
	}
	var places []place
	for _, name := range names {
		p, err := usable(set, name)
		over := link
		if link == everyLink && len(p.Links()) > 0 {
			over = p.Links()[0]
		}
		var endpoint topology.Endpoint
		if err == nil {
			endpoint, err = p.Endpoint(over)
		}
		known := slices.ContainsFunc(places, func(one place) bool { return one.endpoint == endpoint })
		switch {
		case all && (err != nil || known):
		case err != nil:
			return nil, err
		default:
			places = append(places, place{path: p.Name, endpoint: endpoint, link: over})
		}
	}
	if len(places) == 0 {
		return nil, fmt.Errorf("no path that can be used goes over link %s", link)
	}
	return places, nil
}

// handshake is how long a client's own link takes for TCP's handshake just now.
func handshake(ctx context.Context, at place) (time.Duration, error) {
	if at.endpoint.Host != topology.Proxy {
		return 0, nil
	}
	now, err := link.New(link.APIURL()).Proxy(ctx, at.link)
	return now.Handshake(), err
}

func show(ctx context.Context, out io.Writer, places []place, o connectOptions) error {
	width, columns := len("path"), columnsOf(o)
	for _, at := range places {
		width = max(width, len(at.path))
	}
	// A connect's line is written as soon as it is measured; only a path's first one repeats its name.
	line := func(path, number, rest string) { fmt.Fprintf(out, "%-*s  %2s%s\n", width, path, number, rest) }
	wrong := func(path string, number int, err error) {
		line(path, fmt.Sprint(number), "  "+strings.ReplaceAll(err.Error(), "\n", " "))
	}
	fmt.Fprintf(out, "%s, in microseconds\n\n", title(o))
	line("path", "", cells(columns, func(c column) string { return c.name }))
	failed := 0
	for _, at := range places {
		config, err := configOf(ctx, at.endpoint, user, topology.Password(topology.App), o.withTLS)
		var tcp time.Duration
		if err == nil {
			tcp, err = handshake(ctx, at)
		}
		if err != nil {
			wrong(at.path, 1, err)
			failed += o.connects
			continue
		}
		name := at.path
		for number := 1; number <= o.connects; number++ {
			p, err := connectOnce(ctx, config, tcp)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				failed++
				wrong(at.path, number, err)
				continue
			}
			line(name, fmt.Sprint(number), cells(columns, p.cell))
			name = ""
		}
	}
	fmt.Fprintln(out)
	for _, c := range columns {
		fmt.Fprintf(out, "%-13s%s\n", c.name, c.legend)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d connects failed", failed, len(places)*o.connects)
	}
	return nil
}

// A column of the table is a phase, and what the line below the table says of it.
type column struct {
	name   string
	width  int
	of     func(Phases) time.Duration
	legend string
}

// columnsOf are those of such connects.
func columnsOf(o connectOptions) []column {
	dial := "the TCP connection, or that of the Unix socket: one round trip"
	if o.link != "" {
		dial = "the TCP connection: one round trip, which the link simulates"
	}
	columns := []column{
		{"dial", 9, func(p Phases) time.Duration { return p.Dial }, dial},
		{"TLS", 9, func(p Phases) time.Duration { return p.TLS }, "asking for it, and the handshake"},
		{"auth", 9, func(p Phases) time.Duration { return p.Auth },
			"from the startup message until the session takes queries: with SCRAM, three round trips"},
		{"hash", 9, func(p Phases) time.Duration { return p.Hash },
			"the part of auth in which the client itself hashes for SCRAM; libpq takes longer for it"},
		{"connect", 9, Phases.Connect, "all of the above; hash is in auth"},
		{"first query", 13, func(p Phases) time.Duration { return p.FirstQuery },
			"a SELECT 1 on the new connection: a pooler may need a server connection for it"},
	}
	if !o.withTLS {
		columns = slices.Delete(columns, 1, 2)
	}
	return columns
}

// cells are a line's.
func cells(columns []column, of func(column) string) string {
	line := ""
	for _, c := range columns {
		line += fmt.Sprintf("%*s", c.width, of(c))
	}
	return line
}

// cell is a phase in microseconds, "-" where there was none: a Unix socket has no TLS, and only SCRAM hashes.
func (p Phases) cell(c column) string {
	if c.of(p) == 0 {
		return "-"
	}
	return fmt.Sprint(c.of(p).Round(time.Microsecond).Microseconds())
}

func title(o connectOptions) string {
	way := "without toxiproxy"
	switch o.link {
	case "":
	case everyLink:
		way = "each path over its own links"
	default:
		way = "over link " + o.link
	}
	return fmt.Sprintf("%s in a row on each path, %s", metric.Count(o.connects, "connect"), way)
}
