// Package testkit is what tests of several packages share: waiting for a state, and a server in the test's own process
// for tests of those who talk to one. No program contains it.
package testkit

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Patience is how long a test waits for a state, or for a program that says nothing, before it takes it to hang. No
// test judges how long something takes: a slow machine may take its time, and LAB_TEST_PATIENCE, such as 20m, gives it
// more.
var Patience = patience(os.Getenv("LAB_TEST_PATIENCE"))

func patience(setting string) time.Duration {
	if setting == "" {
		return 5 * time.Minute
	}
	d, err := time.ParseDuration(setting)
	if err != nil || d < time.Minute {
		fmt.Printf("--- FAIL: LAB_TEST_PATIENCE is %q: give a duration of a minute at least, such as 20m\n", setting)
		os.Exit(1)
	}
	return d
}

// OK ends the test where what it needs went wrong.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Eventually waits until wrong returns "", and fails with what it returned last if it never does.
func Eventually(t testing.TB, wrong func() string) {
	t.Helper()
	pause, last := time.Millisecond, ""
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(pause) {
		if last = wrong(); last == "" {
			return
		}
		pause = min(2*pause, 100*time.Millisecond)
	}
	t.Fatalf("not within %v: %s", Patience, last)
}

// Until waits until so returns true, and fails with what it waited for if it never does.
func Until(t testing.TB, what string, so func() bool) {
	t.Helper()
	Eventually(t, func() string {
		if so() {
			return ""
		}
		return what
	})
}

// Gone waits until a process has ended: it isn't there, or is only waited for.
func Gone(t testing.TB, pid int) {
	t.Helper()
	Until(t, fmt.Sprintf("process %d has ended", pid), func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	})
}

// StandIn has serve answer each connection until the test ends, and closes the connection after it. It returns the
// port, on 127.0.0.1.
func StandIn(t testing.TB, serve func(net.Conn)) (port int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port
}

// Startup reads a PostgreSQL client's startup message and returns the server's side of what follows, not ok where the
// client sends none.
func Startup(conn net.Conn) (server *pgproto3.Backend, ok bool) {
	server = pgproto3.NewBackend(conn, conn)
	_, err := server.ReceiveStartupMessage()
	return server, err == nil
}

// Serve does Startup, and then Answer.
func Serve(conn net.Conn, answer func(sql string) (values []string, ok bool)) {
	if client, ok := Startup(conn); ok {
		Answer(client, answer)
	}
}

// Answer lets a PostgreSQL client in, after Startup, and answers its statements until it leaves: with a row for each of
// the values that answer returns, in a column called value. Where answer isn't ok, it returns in place of an answer.
func Answer(client *pgproto3.Backend, answer func(sql string) (values []string, ok bool)) {
	client.Send(&pgproto3.AuthenticationOk{})
	client.Send(&pgproto3.ParameterStatus{Name: "client_encoding", Value: "UTF8"}) // both are what pgx insists on
	client.Send(&pgproto3.ParameterStatus{Name: "standard_conforming_strings", Value: "on"})
	for {
		client.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		if client.Flush() != nil {
			return
		}
		message, err := client.Receive()
		query, ok := message.(*pgproto3.Query)
		if err != nil || !ok {
			return
		}
		values, ok := answer(query.String)
		if !ok {
			return
		}
		const text = 25 // its type's OID
		client.Send(&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("value"), DataTypeOID: text}}})
		for _, v := range values {
			client.Send(&pgproto3.DataRow{Values: [][]byte{[]byte(v)}})
		}
		client.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
	}
}

// ToxiproxysOwn skips a test under Go's race detector that has toxiproxy change what connections and readers of its API
// use meanwhile: toxiproxy does so without a lock.
func ToxiproxysOwn(t testing.TB) {
	t.Helper()
	if racing {
		t.Skip("toxiproxy's API writes, without a lock, what its links and its readers read")
	}
}
