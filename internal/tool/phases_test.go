package tool

import (
	"context"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// slowServer is a PostgreSQL server as far as one connect and one query go, with a pause before each of its answers.
type slowServer struct {
	auth, query time.Duration
	refuses     string // the login, with this message; "" if it doesn't
}

// listen serves connections until the test ends, and returns where.
func (s slowServer) listen(t *testing.T) topology.Endpoint {
	t.Helper()
	return topology.Endpoint{Host: "127.0.0.1", Port: testkit.StandIn(t, s.serve), DBName: "lab"}
}

func (s slowServer) serve(conn net.Conn) {
	client, ok := testkit.Startup(conn)
	if !ok {
		return
	}
	time.Sleep(s.auth)
	if s.refuses != "" {
		client.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "28000", Message: s.refuses})
		_ = client.Flush()
		return
	}
	testkit.Answer(client, func(string) ([]string, bool) { time.Sleep(s.query); return nil, true })
}

func TestEachPauseIsInItsPhase(t *testing.T) {
	const auth, query = 50 * time.Millisecond, 100 * time.Millisecond
	config, err := configOf(t.Context(), slowServer{auth: auth, query: query}.listen(t), "app", "", false)
	testkit.OK(t, err)
	began := time.Now()
	p, err := connectOnce(t.Context(), config, 0)
	all := time.Since(began)
	testkit.OK(t, err)
	if p.Dial <= 0 || p.TLS != 0 || p.Hash != 0 || p.Auth < auth || p.FirstQuery < query {
		t.Errorf("%+v: wanted a dial, no TLS, no hash, %v of auth and %v of the first query", p, auth, query)
	}
	// So each phase has its own pause and no other's.
	if sum := p.Connect() + p.FirstQuery; sum > all || p.Connect() != p.Dial+p.Auth {
		t.Errorf("the phases of %+v take %v, all of it %v", p, sum, all)
	}
}

// What a link takes for TCP's handshake counts as dial: the client can't tell it from the first answer's time.
func TestHandshakeOfALinkIsDial(t *testing.T) {
	const auth = 50 * time.Millisecond
	config, err := configOf(t.Context(), slowServer{auth: auth}.listen(t), "app", "", false)
	testkit.OK(t, err)
	const tcp = 20 * time.Millisecond
	p, err := connectOnce(t.Context(), config, tcp)
	testkit.OK(t, err)
	if p.Dial <= tcp || p.Auth < auth-tcp || p.Connect() < auth {
		t.Errorf("%+v: wanted %v of the login's %v to be dial", p, tcp, auth)
	}
	p, err = connectOnce(t.Context(), config, time.Hour)
	if err != nil || p.Auth != 0 || p.Dial < auth || p.Dial > time.Minute {
		t.Errorf("%+v, %v: wanted no phase to be longer than the connect", p, err)
	}
}

var digits = regexp.MustCompile(`\b\d+\b`)

func TestEachConnectIsALine(t *testing.T) {
	var out strings.Builder
	places := []place{
		{path: "direct", endpoint: slowServer{}.listen(t)},
		{path: "refused", endpoint: slowServer{refuses: "too many clients"}.listen(t)},
	}
	err := show(context.Background(), &out, places, connectOptions{connects: 2})
	if err == nil || err.Error() != "2 of 4 connects failed" {
		t.Errorf("error %v", err)
	}
	var words []string
	for line := range strings.Lines(out.String()) {
		words = append(words, strings.Join(strings.Fields(digits.ReplaceAllString(line, "N")), " "))
	}
	want := []string{
		"N connects in a row on each path, without toxiproxy, in microseconds",
		"",
		"path dial auth hash connect first query",
		"direct N N N - N N",
		"N N N - N N", // a path's name stands in its first line only
		"refused N failed",
		"refused N failed",
		"",
	}
	for i := range want {
		if got := words[i]; !strings.HasPrefix(got, want[i]) || want[i] == "" && got != "" {
			t.Errorf("line %d is %q, wanted %q", i+1, got, want[i])
		}
	}
	if !strings.Contains(out.String(), "too many clients") {
		t.Errorf("the reason is missing:\n%s", out.String())
	}
}

func TestChoosePlaces(t *testing.T) {
	t.Setenv("COMPOSE_PROFILES", "")
	t.Setenv("LAB_YUGABYTE_OFF", "its image can't be pulled here")
	set, err := topology.Load("../..")
	testkit.OK(t, err)
	cases := []struct{ name, paths, link, want, wrong string }{
		{"all", "", "", "direct socket standby pgbouncer-transaction pgbouncer-session pgbouncer-statement pgpool " +
			"direct-hosts haproxy", ""},
		{"a path that shares its endpoint, by name", "app-pool direct", "", "app-pool direct", ""},
		{"over one link", "", "client-pgbouncer", "pgbouncer-transaction pgbouncer-session pgbouncer-statement", ""},
		{"over their own", "direct pgpool-near-app", "all", "direct pgpool-near-app", ""},
		{"no link on it", "socket", "all", "", "path socket has no link"},
		{"off", "yugabyte", "", "", "path yugabyte can't be used: its image can't be pulled here"},
		{"nothing over it that is on", "", "client-yugabyte", "", "no path that can be used goes over link client-yugabyte"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			places, err := choosePlaces(set, strings.Fields(c.paths), c.link)
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Fatalf("got %v, wanted %q", err, c.wrong)
				}
				return
			}
			testkit.OK(t, err)
			var names []string
			for _, one := range places {
				names = append(names, one.path)
			}
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Each host of a list is looked up before the first connect.
func TestHostsAreLookedUpOnce(t *testing.T) {
	e := topology.Endpoint{Host: "127.0.0.1,127.0.0.2", Port: 5432, DBName: "lab"}
	config, err := configOf(t.Context(), e, "app", "", false)
	testkit.OK(t, err)
	for _, host := range e.Hosts() {
		if found, err := config.LookupFunc(t.Context(), host); err != nil || len(found) != 1 || found[0] != host {
			t.Errorf("%s is at %v (%v)", host, found, err)
		}
	}
}
