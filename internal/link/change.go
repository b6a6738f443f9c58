package link

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"sync"
)

// Set makes the link carry exactly these settings: a toxic of the lab's own is changed in place, so that live
// connections go on, anyone else's is removed. A cut link stays cut.
func (c *Client) Set(ctx context.Context, link string, s Settings) error {
	if err := c.bring(ctx, link, s.toxics()); err != nil {
		return fmt.Errorf("set link %s: %w", link, err)
	}
	return nil
}

// Off takes everything off the link and restores it where it is cut.
func (c *Client) Off(ctx context.Context, link string) error {
	if err := c.Set(ctx, link, Settings{}); err != nil {
		return err
	}
	return c.Restore(ctx, link)
}

// Each changes the links at once, all that it can: none waits for another one, and the error is of those that failed.
// Where toxiproxy itself is away, one of them says so for all.
func Each(links []string, change func(link string) error) error {
	failed := make([]error, len(links))
	var all sync.WaitGroup
	for i, link := range links {
		all.Go(func() { failed[i] = change(link) })
	}
	all.Wait()
	for _, err := range failed {
		var away *UnreachableError
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

// Restore ends a cut; its toxics are still there. Nothing takes the link's port meanwhile: connections have ports above
// those that anything here listens on (compose.yaml).
func (c *Client) Restore(ctx context.Context, link string) error {
	if err := c.enable(ctx, link, true); err != nil {
		return fmt.Errorf("restore link %s: %w", link, err)
	}
	return nil
}

// put makes the link what it was.
func (c *Client) put(ctx context.Context, then Proxy) error {
	if err := c.bring(ctx, then.Name, then.Toxics); err != nil {
		return fmt.Errorf("put link %s back: %w", then.Name, err)
	}
	if then.Enabled {
		return c.Restore(ctx, then.Name)
	}
	return c.Cut(ctx, then.Name)
}

// bring makes the link's toxics those wanted. Someone else may change them meanwhile: it reads them again after each
// try, and gives up after a few.
func (c *Client) bring(ctx context.Context, link string, wanted []Toxic) error {
	for range 4 {
		now, err := c.Proxy(ctx, link)
		if err != nil {
			return err
		}
		requests := planned(now.Toxics, wanted)
		if len(requests) == 0 {
			return nil
		}
		for _, r := range requests {
			if err = c.ask(ctx, link, r.method, "/toxics"+r.toxic, r.body, nil); err != nil {
				break
			}
		}
		if err != nil && !meanwhile(err) {
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

// A request is one change of a link's toxics.
type request struct {
	method, toxic string // "/" and its name, unless it is to be added
	body          any
}

func adding(t Toxic) request { return request{http.MethodPost, "", t} }

func updating(t Toxic) request {
	change := map[string]any{"attributes": t.Attributes, "toxicity": t.Toxicity}
	return request{http.MethodPatch, "/" + url.PathEscape(t.Name), change}
}

func removing(t Toxic) request { return request{http.MethodDelete, "/" + url.PathEscape(t.Name), nil} }

// planned are the requests that lead from a link's toxics to others. They keep toxics that can stay where they are, for
// toxiproxy adds new ones at the end of a stream only. They remove first: a toxic's name must be free in both streams
// before another one can have it.
func planned(now, wanted []Toxic) []request {
	var remove, update, add []request
	for _, stream := range []string{"upstream", "downstream"} {
		elsewhere := func(t Toxic) bool { return t.Stream != stream }
		left := slices.DeleteFunc(slices.Clone(wanted), elsewhere)
		for _, t := range slices.DeleteFunc(slices.Clone(now), elsewhere) {
			switch {
			case len(left) == 0 || t.Name != left[0].Name || t.Type != left[0].Type:
				remove = append(remove, removing(t))
				continue
			case !reflect.DeepEqual(t, left[0]):
				update = append(update, updating(left[0]))
			}
			left = left[1:]
		}
		for _, t := range left {
			add = append(add, adding(t))
		}
	}
	// The last one first: where a connection has ended before one that holds up data, toxiproxy removes only the first
	// of the two, and crashes at the next toxic that is added.
	slices.Reverse(remove)
	return slices.Concat(remove, update, add)
}
