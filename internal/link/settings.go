package link

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"strings"
	"sync"
	"syscall"
	"time"
)

// The names that toxiproxy itself gives to toxics without one, so that toxiproxy-cli and the lab mean the same.
const (
	latencyDownstream   = "latency_downstream"
	bandwidthDownstream = "bandwidth_downstream"
	bandwidthUpstream   = "bandwidth_upstream"
)

// Settings is what a link is set to. The zero value adds nothing.
type Settings struct {
	LatencyMS int // round trip that is added
	JitterMS  int // each answer is late by LatencyMS plus or minus up to this, evenly spread
	DownKBps  int // bandwidth towards the client in KB/s of 1000 bytes, for each connection; 0: no limit
	UpKBps    int // the same, towards the server
}

// toxics returns the settings as toxiproxy's toxics, in the order in which they must stand.
//
// Latency acts on one direction only: the round trip is what counts, and a delay split in two halves would lose
// half a millisecond of every odd one. Bandwidth stands before it, for a latency toxic takes in 32 MB of a
// connection before it holds the sender back: behind it a limit would be felt by the receiver alone.
func (s Settings) toxics() []Toxic {
	var toxics []Toxic
	if s.UpKBps > 0 {
		toxics = append(toxics, toxic(bandwidthUpstream, "bandwidth", "upstream", map[string]any{"rate": float64(s.UpKBps)}))
	}
	if s.DownKBps > 0 {
		toxics = append(
			toxics,
			toxic(bandwidthDownstream, "bandwidth", "downstream", map[string]any{"rate": float64(s.DownKBps)}),
		)
	}
	if s.LatencyMS > 0 || s.JitterMS > 0 {
		toxics = append(toxics, toxic(latencyDownstream, "latency", "downstream",
			map[string]any{"latency": float64(s.LatencyMS), "jitter": float64(s.JitterMS)}))
	}
	return toxics
}

func toxic(name, kind, stream string, attributes map[string]any) Toxic {
	return Toxic{Name: name, Type: kind, Stream: stream, Toxicity: 1, Attributes: attributes}
}

// Set makes the link carry exactly these settings: a toxic of the lab's own is changed in place, so that live
// connections go on, anyone else's is removed. A cut link stays cut.
func (c *Client) Set(ctx context.Context, link string, s Settings) error {
	if err := c.bring(ctx, link, s.toxics()); err != nil {
		return fmt.Errorf("set link %s: %w", link, err)
	}
	return nil
}

// SetLatency makes the link add ms milliseconds to each round trip and nothing else; 0 adds nothing.
func (c *Client) SetLatency(ctx context.Context, link string, ms int) error {
	return c.Set(ctx, link, Settings{LatencyMS: ms})
}

// Off takes everything off the links and restores those that are cut.
func (c *Client) Off(ctx context.Context, links ...string) error {
	return each(links, func(link string) error {
		if err := c.Set(ctx, link, Settings{}); err != nil {
			return err
		}
		return c.Restore(ctx, link)
	})
}

// each changes the links at once, all that it can: none waits for another one, and the error names those that failed.
// Where toxiproxy itself is away, one of them says so for all.
func each(links []string, change func(link string) error) error {
	failed := make([]error, len(links))
	var all sync.WaitGroup
	for i, link := range links {
		all.Go(func() { failed[i] = change(link) })
	}
	all.Wait()
	for _, err := range failed {
		var away *unreachableError
		if errors.As(err, &away) {
			return err
		}
	}
	return errors.Join(failed...)
}

// Cut ends the link's connections and refuses new ones until Restore.
func (c *Client) Cut(ctx context.Context, link string) error {
	if err := c.enable(ctx, link, false); err != nil {
		return fmt.Errorf("cut link %s: %w", link, err)
	}
	return nil
}

// restoreTries is how often a restore tries to get the link's port back, restorePause how long it waits before the next
// try: something else may hold the port for a moment.
const restoreTries, restorePause = 20, 100 * time.Millisecond

// Restore ends a cut; its toxics are still there.
func (c *Client) Restore(ctx context.Context, link string) error {
	err := c.enable(ctx, link, true)
	for tries := 1; portInUse(err) && tries < restoreTries && ctx.Err() == nil; tries++ {
		time.Sleep(restorePause)
		err = c.enable(ctx, link, true)
	}
	if portInUse(err) {
		return fmt.Errorf("restore link %s: another connection of toxiproxy's has its port; restore the link again once "+
			"that has ended (%w)", link, err)
	}
	if err != nil {
		return fmt.Errorf("restore link %s: %w", link, err)
	}
	return nil
}

func portInUse(err error) bool {
	var refused *APIError
	return errors.As(err, &refused) && strings.Contains(refused.Message, syscall.EADDRINUSE.Error())
}

// bring makes the link's toxics those wanted. Someone else may change them meanwhile: it looks again after each
// try, and gives up after a few.
func (c *Client) bring(ctx context.Context, link string, wanted []Toxic) error {
	for range 4 {
		now, err := c.proxy(ctx, link)
		if err != nil {
			return err
		}
		p := planned(now.Toxics, wanted)
		if p.empty() {
			return nil
		}
		if err := c.apply(ctx, link, p); err != nil && !meanwhile(err) {
			return err
		}
	}
	return errors.New("someone else keeps changing it")
}

// meanwhile reports whether a request failed since the toxic had just been removed or added by someone else.
func meanwhile(err error) bool {
	var refused *APIError
	return errors.As(err, &refused) && (refused.Status == http.StatusNotFound || refused.Status == http.StatusConflict)
}

// plan is what leads from a link's toxics to others.
type plan struct{ remove, update, add []Toxic }

func (p plan) empty() bool { return len(p.remove)+len(p.update)+len(p.add) == 0 }

// planned keeps the toxics that can stay where they are, for toxiproxy adds new ones at the end of a stream only.
func planned(now, wanted []Toxic) plan {
	var p plan
	for _, stream := range []string{"upstream", "downstream"} {
		left := of(stream, wanted)
		for _, t := range of(stream, now) {
			switch {
			case len(left) == 0 || t.Name != left[0].Name || t.Type != left[0].Type:
				p.remove = append(p.remove, t)
				continue
			case !reflect.DeepEqual(t, left[0]):
				p.update = append(p.update, left[0])
			}
			left = left[1:]
		}
		p.add = append(p.add, left...)
	}
	// The last one first: where a connection has ended before one that holds up data, toxiproxy removes only the first
	// of the two, and crashes at the next toxic that is added.
	slices.Reverse(p.remove)
	return p
}

func of(stream string, toxics []Toxic) []Toxic {
	var some []Toxic
	for _, t := range toxics {
		if t.Stream == stream {
			some = append(some, t)
		}
	}
	return some
}

// apply removes first: a toxic's name must be free in both streams before another one can have it.
func (c *Client) apply(ctx context.Context, link string, p plan) error {
	steps := []struct {
		toxics []Toxic
		change func(context.Context, string, Toxic) error
	}{{p.remove, c.removeToxic}, {p.update, c.updateToxic}, {p.add, c.addToxic}}
	for _, step := range steps {
		for _, t := range step.toxics {
			if err := step.change(ctx, link, t); err != nil {
				return err
			}
		}
	}
	return nil
}
