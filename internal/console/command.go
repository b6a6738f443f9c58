package console

import (
	"cmp"
	"context"
	"io"
	"os"
	"strings"
	"time"

	"pooler-lab/internal/topology"
)

// portOnHost is the one that Compose publishes the console on.
func portOnHost() string { return cmp.Or(os.Getenv("LAB_CONSOLE_PORT"), "8080") }

// Address is where people open the console.
func Address() string { return "http://127.0.0.1:" + portOnHost() }

// Start serves the console of the lab's container until ctx ends. What goes wrong with it is said, and no reason to
// end: the scripts work without it.
func Start(ctx context.Context, out io.Writer) *Console {
	hosts := hostNames(portOnHost(), strings.Split(os.Getenv("LAB_CONSOLE_HOSTS"), ","))
	c := newConsole(topology.Root(), hosts, out)
	go func() {
		if err := c.serve(ctx, ":8080"); err != nil {
			c.log.Printf("it is off: %v", err)
		}
	}()
	return c
}

// Waiting says what the lab does before it is ready.
func (c *Console) Waiting(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = what
}

// Watch has a console that was started watch the lab from now on.
func (c *Console) Watch(ctx context.Context) {
	source, err := sourceOfLab(c.root)
	if err != nil {
		c.Waiting(err.Error())
		c.log.Print(err)
		return
	}
	c.begin(ctx, source)
}

// endWait is how long the console's lesson may take to put back what it has set: less than Compose's stop_grace_period.
const endWait = 13 * time.Second

// Await waits until all that the console has started has ended, once its context has.
func (c *Console) Await() {
	ended := make(chan struct{})
	go func() { c.running.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(endWait):
	}
}
