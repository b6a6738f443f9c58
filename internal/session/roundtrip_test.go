package session

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestReason(t *testing.T) {
	for want, err := range map[string]error{
		"no answer in time":                           context.DeadlineExceeded,
		"fatal: too many clients":                     &pgconn.PgError{Severity: "FATAL", Message: "too many clients"},
		"primary has no address; is that service up?": &net.DNSError{Name: "primary"},
		"refused":                           &net.OpError{Op: "dial", Err: errors.New("refused")},
		"connection closed; is primary up?": io.ErrUnexpectedEOF,
		"something on two lines":            errors.New("something\n\ton two lines"),
	} {
		if got := Reason(err, "primary"); got != want {
			t.Errorf("%v: %q, wanted %q", err, got, want)
		}
	}
}
