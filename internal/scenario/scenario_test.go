package scenario

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

// What a step shows depends on who took it, what was wanted, and which backend answered.
func TestShows(t *testing.T) {
	wanted := "4MB"
	look := func(client, saw, backend string) result.StepTaken {
		return result.StepTaken{Client: client, Sees: &wanted, Saw: saw, Backend: backend}
	}
	dedicated := player{clients: map[string]*client{"A": {}}, backends: []string{"1@db"}}
	shared := dedicated
	shared.Shared = true
	after := player{backends: []string{"1@db"}}
	gone := after
	gone.gone = true
	for what, test := range map[string]struct {
		player
		did  result.StepTaken
		want result.ScenarioOutcome
	}{
		"A sees its own":                    {shared, look("A", "4MB", "1@db"), result.Works},
		"A doesn't":                         {shared, look("A", "9MB", "1@db"), result.Lost},
		"B sees nothing on A's backend":     {shared, look("B", "4MB", "1@db"), result.Works},
		"B sees nothing on another one":     {shared, look("B", "4MB", "2@db"), result.NotShown},
		"which is its own":                  {dedicated, look("B", "4MB", "2@db"), result.Works},
		"A has left, and its backend stays": {after, look("B", "4MB", "2@db"), result.NotShown},
		"A's backend is gone, too":          {gone, look("B", "4MB", "2@db"), result.Works},
		"B sees A's on A's backend":         {shared, look("B", "9MB", "1@db"), result.Leaks},
		"B sees another thing elsewhere":    {shared, look("B", "9MB", "2@db"), result.Lost},
		"the same number on another server": {shared, look("B", "9MB", "1@other"), result.Lost},
		"B without its backend":             {shared, look("B", "9MB", ""), result.NotShown},
		"an error":                          {shared, result.StepTaken{Client: "A", Message: "no"}, result.Fails},
		"no error":                          {shared, result.StepTaken{Client: "A"}, result.Works},
	} {
		t.Run(what, func(t *testing.T) {
			got, why := test.player.shows(test.did)
			if got != test.want || (why != "") != (got == result.NotShown) {
				t.Errorf("it shows %q (%s), wanted %q", got, why, test.want)
			}
		})
	}
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		wanted, saw string
		want        bool
	}{
		{"1", "1", true}, {"1", "2", false}, {"error", "error 26000", true}, {"error 26000", "error 26000", true},
		{"error 26000", "error 42P05", false}, {"error", "1", false}, {"error", "error", false}, {"", "", true},
	} {
		if got := matches(test.wanted, test.saw); got != test.want {
			t.Errorf("%q for %q: %v", test.saw, test.wanted, got)
		}
	}
}

// answerOf is what a client makes of these messages of a stand-in for a server.
func answerOf(t *testing.T, messages ...pgproto3.BackendMessage) answer {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close(); far.Close() })
	go func() {
		server := pgproto3.NewBackend(far, far)
		if _, err := server.Receive(); err != nil {
			return
		}
		for _, m := range messages {
			server.Send(m)
			if server.Flush() != nil {
				return
			}
			if _, is := m.(*pgproto3.CopyInResponse); is {
				_, _ = server.Receive()
				_, _ = server.Receive()
			}
		}
		far.Close()
	}()
	c := &client{&pgconn.HijackedConn{Conn: near, Frontend: pgproto3.NewFrontend(near, near)}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return c.do(ctx, lesson.VerbQuery, "COPY x FROM STDIN\n1\n2\n\\.")
}

// describe names columns.
func describe(names ...string) *pgproto3.RowDescription {
	var d pgproto3.RowDescription
	for _, n := range names {
		d.Fields = append(d.Fields, pgproto3.FieldDescription{Name: []byte(n)})
	}
	return &d
}

// row is one of a result.
func row(values ...string) *pgproto3.DataRow {
	var r pgproto3.DataRow
	for _, v := range values {
		r.Values = append(r.Values, []byte(v))
	}
	return &r
}

func TestAnswers(t *testing.T) {
	tag := func(text string) *pgproto3.CommandComplete {
		return &pgproto3.CommandComplete{CommandTag: []byte(text)}
	}
	ready := &pgproto3.ReadyForQuery{TxStatus: 'I'}
	for what, test := range map[string]struct {
		messages               []pgproto3.BackendMessage
		saw, message, answered string
	}{
		"rows and the backend": {[]pgproto3.BackendMessage{describe("a", "b", "pid", "server", "at"),
			row("1", "x", "42", "10.0.0.1", "now"), row("2", "y", "42", "10.0.0.1", "now"), tag("SELECT 2"), ready},
			"1|x; 2|y", "", "42@10.0.0.1"},
		"no row": {[]pgproto3.BackendMessage{describe("a"), tag("SELECT 0"), ready}, "", "", ""},
		"two statements": {[]pgproto3.BackendMessage{tag("SET"), describe("a"), row("1"), tag("SELECT 1"), ready},
			"SET; 1", "", ""},
		"what comes unasked comes last": {[]pgproto3.BackendMessage{&pgproto3.NotificationResponse{Channel: "c"},
			&pgproto3.NoticeResponse{Message: "hello"}, tag("DO"), ready}, "DO; notification c; notice hello", "", ""},
		"error": {[]pgproto3.BackendMessage{&pgproto3.ErrorResponse{Code: "42703", Message: "no column"}, ready},
			"error 42703", "no column", ""},
		"fatal": {[]pgproto3.BackendMessage{&pgproto3.ErrorResponse{Severity: "FATAL", Code: "08P01", Message: "go away"}},
			"error 08P01", "go away", ""},
		"error, and closed": {[]pgproto3.BackendMessage{&pgproto3.ErrorResponse{Severity: "ERROR", Code: "42703"}},
			"error 42703; error", "the connection was closed", ""},
		"row that nobody described": {[]pgproto3.BackendMessage{row("1"), tag("SELECT 1"), ready}, "1", "", ""},
		"closed":                    {nil, "error", "the connection was closed", ""},
		"copy in": {[]pgproto3.BackendMessage{&pgproto3.CopyInResponse{ColumnFormatCodes: []uint16{0}}, tag("COPY 2"), ready},
			"COPY 2", "", ""},
	} {
		t.Run(what, func(t *testing.T) {
			got := answerOf(t, test.messages...)
			if got.String() != test.saw || got.message != test.message || got.backend != test.answered {
				t.Errorf("it saw %q, message %q, backend %q", got, got.message, got.backend)
			}
		})
	}
}
