package shared

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"pooler-lab/test/testkit"
)

// pause is how long the server takes for each of its answers: none of it is the client's.
const pause = 10 * time.Millisecond

// login is a server's side of one login: what it asks for, and in how many pieces its challenge arrives.
type login struct {
	asks       string // for scram, md5 or nothing
	iterations int
	pieces     int
}

// listen serves logins until the test ends, and returns where.
func (l login) listen(t testing.TB) string {
	t.Helper()
	return fmt.Sprintf("host=127.0.0.1 port=%d user=u password=p sslmode=disable", testkit.StandIn(t, l.serve))
}

func (l login) serve(conn net.Conn) {
	backend, ok := testkit.Startup(conn)
	if !ok {
		return
	}
	switch l.asks {
	case "md5":
		answer(backend, &pgproto3.AuthenticationMD5Password{}, pgproto3.AuthTypeMD5Password)
	case "scram":
		first := answer(backend, &pgproto3.AuthenticationSASL{AuthMechanisms: []string{"SCRAM-SHA-256"}},
			pgproto3.AuthTypeSASL)
		nonce := first.(*pgproto3.SASLInitialResponse).Data[len("n,,n=,r="):]
		l.challenge(conn, fmt.Sprintf("r=%sserver,s=c2FsdA==,i=%d", nonce, l.iterations))
		_ = backend.SetAuthType(pgproto3.AuthTypeSASLContinue)
		_, _ = backend.Receive()
	}
	time.Sleep(pause)
	backend.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "28P01", Message: "a stand-in lets nobody in"})
	_ = backend.Flush()
}

// answer asks the client for something and returns what it says.
func answer(backend *pgproto3.Backend, question pgproto3.BackendMessage, kind uint32) pgproto3.FrontendMessage {
	time.Sleep(pause)
	backend.Send(question)
	_ = backend.Flush()
	_ = backend.SetAuthType(kind)
	said, _ := backend.Receive()
	return said
}

func (l login) challenge(conn net.Conn, data string) {
	message, _ := (&pgproto3.AuthenticationSASLContinue{Data: []byte(data)}).Encode(nil)
	length := (len(message) + l.pieces - 1) / l.pieces
	for len(message) > 0 {
		time.Sleep(pause)
		n := min(length, len(message))
		_, _ = conn.Write(message[:n])
		message = message[n:]
	}
}

// hashed is what a handshake says of a connect to the server, and how long all of that took.
func hashed(t testing.TB, l login) (clock, all time.Duration) {
	t.Helper()
	config, err := pgconn.ParseConfig(l.listen(t))
	if err != nil {
		t.Fatal(err)
	}
	var h Handshake
	if conn, err := pgconn.ConnectConfig(t.Context(), h.Watch(config)); err == nil {
		conn.Close(t.Context())
	}
	return h.Hashed(), time.Since(h.began)
}

// The server's pauses are no part of what a client takes for hashing.
func TestOnlyHashingIsTimed(t *testing.T) {
	for _, test := range []struct {
		name   string
		login  login
		pauses time.Duration
		least  time.Duration
	}{
		{"nothing asked", login{}, 1, 0},
		{"md5", login{asks: "md5"}, 2, 0},
		{"one round", login{asks: "scram", iterations: 1, pieces: 1}, 3, time.Nanosecond},
		{"in pieces", login{asks: "scram", iterations: 1, pieces: 3}, 5, time.Nanosecond},
		{"in bytes", login{asks: "scram", iterations: 1, pieces: 12}, 14, time.Nanosecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, all := hashed(t, test.login)
			if got < test.least || test.least == 0 && got != 0 || got > all-test.pauses*pause {
				t.Errorf("of %v, in which the server paused %d times, the client hashed for %v", all, test.pauses, got)
			}
		})
	}
}

// BenchmarkMoreRounds asks for so many that they take longer than anything else in the login.
func BenchmarkMoreRounds(b *testing.B) {
	few, _ := hashed(b, login{asks: "scram", iterations: 4096, pieces: 1})
	many, _ := hashed(b, login{asks: "scram", iterations: 50 * 4096, pieces: 1})
	b.ReportMetric(float64(few.Microseconds()), "us-of-4096")
	b.ReportMetric(float64(many)/float64(few), "times-as-long-of-50x")
	if many < 10*few {
		b.Errorf("50 times as many rounds took %v in place of %v", many, few)
	}
}
