package console

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"pooler-lab/internal/topology"
)

// NewCommand makes 'lab console', which serves the console alone, for who works on it: the container's own is served by
// 'lab serve'.
func NewCommand() *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:    "console",
		Short:  "Serve the console alone, of a lab that is up",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			console := New(OptionsOfLab(c.ErrOrStderr()))
			source, err := SourceOfLab(topology.Root())
			if err != nil {
				return err
			}
			go console.Ready(c.Context(), source)
			defer console.Await()
			return console.Serve(c.Context(), listen)
		},
	}
	c.Flags().StringVar(&listen, "listen", ":8080", "address and port")
	return c
}

// Start serves the console of the lab's container until ctx ends. What goes wrong with it is said, and no reason to
// end: the scripts work without it.
func Start(ctx context.Context, out io.Writer) *Console {
	c := New(OptionsOfLab(out))
	go func() {
		if err := c.Serve(ctx, ":8080"); err != nil {
			c.log.Printf("it is off: %v", err)
		}
	}()
	return c
}

// Watch has a console that was started watch the lab from now on.
func (c *Console) Watch(ctx context.Context) {
	source, err := SourceOfLab(c.root)
	if err != nil {
		c.Waiting(err.Error())
		c.log.Print(err)
		return
	}
	go c.Ready(ctx, source)
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
