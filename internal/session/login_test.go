package session

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"pooler-lab/test/testkit"
)

func TestAsksFor(t *testing.T) {
	tests := []struct {
		name    string
		answers []pgproto3.BackendMessage // to the startup message, and to what follows
		want    string
		wrong   string
	}{
		{"nothing", []pgproto3.BackendMessage{&pgproto3.AuthenticationOk{}}, "no password", ""},
		{"md5", []pgproto3.BackendMessage{&pgproto3.AuthenticationMD5Password{}}, "md5", ""},
		{"SCRAM", []pgproto3.BackendMessage{
			&pgproto3.AuthenticationSASL{AuthMechanisms: []string{"SCRAM-SHA-256"}},
			&pgproto3.AuthenticationSASLContinue{Data: []byte("r=x,s=c2FsdA==,i=4096")},
		}, "scram-sha-256, 4096 iterations", ""},
		{"SCRAM without iterations", []pgproto3.BackendMessage{
			&pgproto3.AuthenticationSASL{AuthMechanisms: []string{"SCRAM-SHA-256"}},
			&pgproto3.AuthenticationSASLContinue{Data: []byte("r=x")},
		}, "", "names no iterations"},
		{"it refuses", []pgproto3.BackendMessage{&pgproto3.ErrorResponse{Message: "role is not permitted to log in"}},
			"", "it answers role is not permitted to log in"},
		{"something else", []pgproto3.BackendMessage{&pgproto3.AuthenticationGSS{}}, "", "AuthenticationGSS"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := AsksFor(t.Context(), standIn(t, test.answers))
			if got != test.want || (err == nil) != (test.wrong == "") {
				t.Fatalf("it asks for %q, %v", got, err)
			}
			if err != nil && !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("the reason is %v", err)
			}
		})
	}
}

// standIn stands in for a server, and returns how to reach it.
func standIn(t *testing.T, answers []pgproto3.BackendMessage) string {
	port := testkit.StandIn(t, func(conn net.Conn) {
		client, ok := testkit.Startup(conn)
		if !ok {
			return
		}
		for i, answer := range answers {
			if i > 0 {
				if _, err := client.Receive(); err != nil {
					return
				}
			}
			client.Send(answer)
			if _, is := answer.(*pgproto3.AuthenticationSASL); is {
				_ = client.SetAuthType(pgproto3.AuthTypeSASL)
			}
			if client.Flush() != nil {
				return
			}
		}
		_, _ = client.Receive() // until the client leaves
	})
	return fmt.Sprintf("host=127.0.0.1 port=%d user=app dbname=lab sslmode=disable", port)
}
