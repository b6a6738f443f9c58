// Package console serves the lab's page: a map of its links and nodes, latencies to swap, a live load, and lessons.
//
// What moves comes from few places. Each second the beat reads the links from toxiproxy, collects what the probes saw
// and what the live load's k6 printed, and tells it to all pages at once. Probes run only while somebody looks, and
// never while a lesson does.
package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"path/filepath"
	"sync"
	"time"
)

// beat is how often pages are told what happens.
const beat = time.Second

// A Console serves the page. It answers from the start on, at first with what it waits for.
type Console struct {
	root  string   // of the lab: holds configs/, k6/ and results/
	hosts []string // names that it answers to
	hub   *hub
	log   *log.Logger

	running sync.WaitGroup // what has to end before the program does: a lesson puts back what it has set

	mu      sync.Mutex
	waiting string // what it waits for, "" once it is ready
	parts   *parts // nil until then
}

// newConsole makes a console that says it is waiting until it has begun.
func newConsole(root string, hosts []string, out io.Writer) *Console {
	return &Console{
		root:    root,
		hosts:   hosts,
		hub:     newHub(),
		log:     log.New(out, "console: ", 0),
		waiting: "the lab is starting",
	}
}

// begin has the console look at the lab, from now on until ctx ends.
func (c *Console) begin(ctx context.Context, source *source) {
	p := newParts(ctx, c, source)
	c.mu.Lock()
	c.parts, c.waiting = p, ""
	c.mu.Unlock()
	p.run()
}

// ready returns the console's parts, or what the lab waits for.
func (c *Console) ready() (*parts, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.parts, c.waiting
}

// serve answers at address until ctx ends.
func (c *Console) serve(ctx context.Context, address string) error {
	server := &http.Server{Addr: address, Handler: c.handler(), ErrorLog: c.log, MaxHeaderBytes: 32 << 10,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: time.Minute}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the console: %w", err)
	}
	return nil
}

// results is where runs are.
func (c *Console) results() string { return filepath.Join(c.root, "results") }
