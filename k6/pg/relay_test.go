package pg

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/test/testkit"
)

// relay stands between client and server. Where it has a certificate, it speaks TLS to the client.
type relay struct {
	t      *testing.T
	server string // address
	tls    *tls.Config
	cut    atomic.Pointer[net.Conn]
	taken  atomic.Int64 // connections
	most   atomic.Int64 // of them, the others are closed at once; 0: all
}

// newRelay returns a relay to the server that dsn names, and the dsn through it.
func newRelay(t *testing.T, dsn string, certificate *tls.Config) (*relay, string) {
	t.Helper()
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{t: t, tls: certificate, server: fmt.Sprintf("%s:%d", config.Host, config.Port)}
	return r, fmt.Sprintf("%s host=127.0.0.1 port=%d", dsn, testkit.StandIn(t, r.carry))
}

// carry moves one connection's bytes.
func (r *relay) carry(client net.Conn) {
	if most := r.most.Load(); most > 0 && r.taken.Add(1) > most {
		return
	}
	if r.tls != nil {
		if _, err := io.ReadFull(client, make([]byte, 8)); err != nil { // SSLRequest
			return
		}
		if _, err := client.Write([]byte{'S'}); err != nil {
			return
		}
		client = tls.Server(client, r.tls)
	}
	server, err := net.Dial("tcp", r.server)
	if err != nil {
		r.t.Error(err)
		return
	}
	defer server.Close()
	r.cut.Store(&client)
	go func() {
		_, _ = io.Copy(server, client)
		server.Close()
	}()
	_, _ = io.Copy(client, server)
}

// certificate returns a certificate for 127.0.0.1, and the file that a client can trust it by.
func certificate(t *testing.T) (*tls.Config, string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, authority, 0o600); err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: server.TLS.Certificates}, file
}
