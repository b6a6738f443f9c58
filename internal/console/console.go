// Package console serves the lab's page: a map of its links and nodes, latencies to swap, a live load, and lessons.
//
// What moves comes from few places. Each second the beat reads the links from toxiproxy, collects what the probes saw
// and what the live load's k6 printed, and tells it to all pages at once. Probes run only while somebody looks, and
// never while a lesson does.
package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"pooler-lab/internal/topology"
)

// beat is how often pages are told what happens.
const beat = time.Second

// chartJS is where Debian's package has the chart library.
const chartJS = "/usr/share/javascript/chart.js/chart.min.js"

// A Console serves the page. It answers from the start on, at first with what it waits for: see Ready.
type Console struct {
	root    string   // of the lab
	hosts   []string // names that it answers to
	chartJS string   // the chart library's file
	hub     *hub
	log     *log.Logger

	closing chan struct{}  // closed when the console ends
	running sync.WaitGroup // what has to end before the program does: a lesson puts back what it has set

	mu      sync.Mutex
	waiting string // what it waits for, "" once it is ready
	parts   *parts // nil until then
}

// Options are what a console needs to know.
type Options struct {
	Root    string    // holds configs/, k6/ and results/
	Port    string    // that it has on the host's 127.0.0.1
	Hosts   []string  // other names, with their ports, that it answers to
	ChartJS string    // the chart library's file; "" is that of Debian's package
	Log     io.Writer // where it says what goes wrong
}

// OptionsOfLab are those of the lab's container.
func OptionsOfLab(out io.Writer) Options {
	return Options{
		Root:  topology.Root(),
		Port:  portOnHost(),
		Hosts: strings.Split(os.Getenv("LAB_CONSOLE_HOSTS"), ","),
		Log:   out,
	}
}

// portOnHost is the one that Compose publishes the console on.
func portOnHost() string { return cmp.Or(os.Getenv("LAB_CONSOLE_PORT"), "8080") }

// Address is where people open the console.
func Address() string { return "http://127.0.0.1:" + portOnHost() }

// New makes a console that says it is waiting until it is Ready.
func New(o Options) *Console {
	return &Console{
		root:    o.Root,
		hosts:   hostNames(o.Port, o.Hosts),
		chartJS: cmp.Or(o.ChartJS, chartJS),
		hub:     newHub(),
		log:     log.New(o.Log, "console: ", 0),
		closing: make(chan struct{}),
		waiting: "the lab is starting",
	}
}

// Waiting says what the lab does before it is ready.
func (c *Console) Waiting(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = what
}

// Ready lets the console look at the lab, from now on until ctx ends.
func (c *Console) Ready(ctx context.Context, source *Source) {
	c.running.Add(1)
	defer c.running.Done()
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

// Serve answers at address until ctx ends.
func (c *Console) Serve(ctx context.Context, address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("serve the console: %w", err)
	}
	server := &http.Server{Handler: c.Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 32 << 10, ErrorLog: c.log}
	go func() {
		<-ctx.Done()
		close(c.closing)
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(limited) != nil {
			server.Close()
		}
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the console: %w", err)
	}
	return nil
}

// results is where runs are.
func (c *Console) results() string { return filepath.Join(c.root, "results") }
