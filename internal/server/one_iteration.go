package server

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"pooler-lab/internal/session"
)

// OneIteration is a role of app's password that a crosscheck makes for its own time: its secret was hashed once and
// not 4096 times, so that what a login costs hardly depends on how fast a client hashes.
const OneIteration = "app_one_iteration"

// MakeOneIteration makes the role, with app's password. DropOneIteration takes it away again.
func (l *Servers) MakeOneIteration(ctx context.Context) error {
	secret, err := scramSecret(Password(app), 1)
	if err != nil {
		return err
	}
	return l.changeOneIteration(ctx, "make",
		"CREATE ROLE "+OneIteration+" LOGIN PASSWORD '"+secret+"'",
		"GRANT USAGE ON SCHEMA public TO "+OneIteration,
		"GRANT SELECT ON pgbench_accounts, pgbench_branches TO "+OneIteration)
}

// DropOneIteration drops the role if it is there.
func (l *Servers) DropOneIteration(ctx context.Context) error {
	rows, err := l.nodes[primary].Ask(ctx, "SELECT FROM pg_roles WHERE rolname = '"+OneIteration+"'")
	if err != nil || len(rows) == 0 {
		return err
	}
	return l.changeOneIteration(ctx, "drop",
		"REVOKE ALL ON SCHEMA public FROM "+OneIteration,
		"REVOKE ALL ON pgbench_accounts, pgbench_branches FROM "+OneIteration,
		"DROP ROLE "+OneIteration)
}

func (l *Servers) changeOneIteration(ctx context.Context, verb string, statements ...string) error {
	err := l.inData(ctx, func(s *session.Session) error {
		for _, sql := range statements {
			if _, err := s.Ask(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s the role %s: %w", verb, OneIteration, err)
	}
	return nil
}

// scramSecret is a password as PostgreSQL keeps it in pg_authid (RFC 5803, with the keys of RFC 5802).
func scramSecret(password string, iterations int) (string, error) {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	salted, err := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	keyed := func(text string) []byte {
		mac := hmac.New(sha256.New, salted)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	stored := sha256.Sum256(keyed("Client Key"))
	encode := base64.StdEncoding.EncodeToString
	keys := encode(stored[:]) + ":" + encode(keyed("Server Key"))
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s", iterations, encode(salt), keys), nil
}
