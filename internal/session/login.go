package session

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// loginTime is how long a server may take to say what it asks for.
const loginTime = 5 * time.Second

// AsksFor begins to log in and returns what the server asks for before it lets the client in, such as "scram-sha-256,
// 4096 iterations". It sends no password.
func AsksFor(ctx context.Context, dsn string) (string, error) {
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return "", fmt.Errorf("read connection settings: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, loginTime)
	defer cancel()
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return "", err
	}
	return asksFor(pgproto3.NewFrontend(conn, conn), config)
}

// exchange sends a message and returns the answer to it.
func exchange(server *pgproto3.Frontend, message pgproto3.FrontendMessage) (pgproto3.BackendMessage, error) {
	server.Send(message)
	if err := server.Flush(); err != nil {
		return nil, fmt.Errorf("begin to log in: %w", err)
	}
	answer, err := server.Receive()
	if err != nil {
		return nil, fmt.Errorf("begin to log in: %w", err)
	}
	return answer, nil
}

func asksFor(server *pgproto3.Frontend, config *pgconn.Config) (string, error) {
	answer, err := exchange(server, &pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30,
		Parameters: map[string]string{"user": config.User, "database": config.Database, "application_name": Name}})
	if err != nil {
		return "", err
	}
	switch said := answer.(type) {
	case *pgproto3.AuthenticationOk:
		return "no password", nil
	case *pgproto3.AuthenticationMD5Password:
		return "md5", nil
	case *pgproto3.AuthenticationCleartextPassword:
		return "clear password", nil
	case *pgproto3.AuthenticationSASL:
		return scram(server, said.AuthMechanisms)
	case *pgproto3.ErrorResponse:
		return "", fmt.Errorf("it answers %s", said.Message)
	}
	return "", fmt.Errorf("it answers with a message of type %T", answer)
}

// scram goes as far as the server's first message, which tells how often the password was hashed (RFC 5802).
func scram(server *pgproto3.Frontend, mechanisms []string) (string, error) {
	const mechanism = "SCRAM-SHA-256"
	answer, err := exchange(server, &pgproto3.SASLInitialResponse{AuthMechanism: mechanism,
		Data: []byte("n,,n=,r=pooler-lab-asks")})
	if err != nil {
		return "", err
	}
	first, ok := answer.(*pgproto3.AuthenticationSASLContinue)
	if !ok {
		return "", fmt.Errorf("it offers %s and answers with a message of type %T", strings.Join(mechanisms, ", "), answer)
	}
	for _, part := range strings.Split(string(first.Data), ",") {
		if iterations, has := strings.CutPrefix(part, "i="); has {
			return strings.ToLower(mechanism) + ", " + iterations + " iterations", nil
		}
	}
	return "", fmt.Errorf("its SCRAM message names no iterations")
}
