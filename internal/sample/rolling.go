package sample

import (
	"time"

	"pooler-lab/internal/result"
)

// A Rolling samples at one database's sessions again and again, and sums up what they waited for lately. It belongs to
// one goroutine.
type Rolling struct {
	node   node
	window time.Duration
}

// NewRolling makes one for a node that is reached as dsn says, without a password in it. Sessions of the roles count.
func NewRolling(service, dsn, password string, roles []string, window time.Duration) *Rolling {
	return &Rolling{node: node{service: service, dsn: dsn, password: password, roles: roles}, window: window}
}

// Sample asks the node once. What goes wrong is said by Lately.
func (r *Rolling) Sample() {
	r.node.ask(r.node.sample)
	r.node.samples = since(r.node.samples, func(l sessionSample) time.Time { return l.sent }, time.Now().Add(-r.window))
}

// Lately sums up the samples of the window that ends now; where there is none, NotMeasured says why.
func (r *Rolling) Lately() result.Node {
	now := time.Now()
	return r.node.between(now.Add(-r.window), now)
}

// Close ends the connection and forgets what was seen; the next Sample opens another one.
func (r *Rolling) Close() {
	r.node.close()
	r.node.conn, r.node.samples, r.node.trouble, r.node.retry = nil, nil, "", time.Time{}
}
