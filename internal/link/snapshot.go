package link

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Snapshot is what toxiproxy held at one moment: links, sorted by name, with all toxics, whoever made them.
type Snapshot []Proxy

// Read reads the client's links, each by itself: one that is stalled hides no other. The links that are stalled aren't
// in the snapshot, nor are those that toxiproxy doesn't have.
func (c *Client) Read(ctx context.Context) (s Snapshot, stalled map[string]error, err error) {
	limited, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	proxies, failed := make([]Proxy, len(c.links)), make([]error, len(c.links))
	var all sync.WaitGroup
	for i, name := range c.links {
		all.Go(func() { failed[i] = c.ask(limited, name, http.MethodGet, "", nil, &proxies[i]) })
	}
	all.Wait()
	stalled = map[string]error{}
	for i, wrong := range failed {
		var standsStill *StalledError
		switch {
		case wrong == nil:
			s = append(s, proxies[i])
		case errors.As(wrong, &standsStill):
			stalled[c.links[i]] = wrong
		case !isMissing(wrong):
			return nil, nil, wrong
		}
	}
	slices.SortFunc(s, func(a, b Proxy) int { return strings.Compare(a.Name, b.Name) })
	return s, stalled, nil
}

// Snapshot reads all of the client's links; that one of them is stalled is an error.
func (c *Client) Snapshot(ctx context.Context) (Snapshot, error) {
	s, stalled, err := c.Read(ctx)
	if err != nil {
		return nil, err
	}
	for _, wrong := range stalled {
		return nil, wrong
	}
	return s, nil
}

// Put makes every link of the snapshot what it was then. Links that have come since are left alone; where one
// fails the others are still put back, and the error names all that failed.
func (c *Client) Put(ctx context.Context, s Snapshot) error {
	names := make([]string, len(s))
	for i, p := range s {
		names[i] = p.Name
	}
	return each(names, func(name string) error {
		p, _ := s.Proxy(name)
		return c.putProxy(ctx, p)
	})
}

func (c *Client) putProxy(ctx context.Context, p Proxy) error {
	if err := c.bring(ctx, p.Name, p.Toxics); err != nil {
		return fmt.Errorf("put link %s back: %w", p.Name, err)
	}
	if p.Enabled {
		return c.Restore(ctx, p.Name)
	}
	return c.Cut(ctx, p.Name)
}

// Proxy returns the link of that name, and whether there is one.
func (s Snapshot) Proxy(link string) (Proxy, bool) {
	for _, p := range s {
		if p.Name == link {
			return p, true
		}
	}
	return Proxy{}, false
}

// SetMS returns the milliseconds that the link is set to add to a round trip: the sum over all its latency
// toxics of either direction, since they add up whoever made them.
func (s Snapshot) SetMS(link string) int {
	p, _ := s.Proxy(link)
	return p.Settings().LatencyMS
}

// Cut reports whether the link is cut.
func (s Snapshot) Cut(link string) bool {
	p, ok := s.Proxy(link)
	return ok && !p.Enabled
}

// Equal reports whether both snapshots hold the same links and toxics.
func (s Snapshot) Equal(other Snapshot) bool { return s.Difference(other) == "" }

// Difference says in words what changed from s to other, or "" if nothing did.
func (s Snapshot) Difference(other Snapshot) string {
	var changes []string
	for _, before := range s {
		after, ok := other.Proxy(before.Name)
		if !ok {
			changes = append(changes, before.Name+": gone")
			continue
		}
		for _, change := range before.changes(after) {
			changes = append(changes, before.Name+": "+change)
		}
	}
	for _, p := range other {
		if _, ok := s.Proxy(p.Name); !ok {
			changes = append(changes, p.Name+": new")
		}
	}
	return strings.Join(changes, "; ")
}

func (p Proxy) changes(after Proxy) []string {
	var changes []string
	if p.Listen != after.Listen {
		changes = append(changes, fmt.Sprintf("listens on %s → %s", p.Listen, after.Listen))
	}
	if p.Upstream != after.Upstream {
		changes = append(changes, fmt.Sprintf("leads to %s → %s", p.Upstream, after.Upstream))
	}
	if p.Enabled != after.Enabled {
		changes = append(changes, map[bool]string{true: "restored", false: "cut"}[after.Enabled])
	}
	// An empty list and none are the same.
	if len(p.Toxics)+len(after.Toxics) > 0 && !reflect.DeepEqual(p.Toxics, after.Toxics) {
		changes = append(changes, p.latencies(after))
	}
	return changes
}

// latencies says what the toxics were and are: in milliseconds where both are plain latencies, such as 5 ms → 3 ms.
func (p Proxy) latencies(after Proxy) string {
	was, is := p.Settings(), after.Settings()
	if p.plain() && after.plain() && was.LatencyMS != is.LatencyMS {
		return fmt.Sprintf("%d ms → %d ms", was.LatencyMS, is.LatencyMS)
	}
	return describe(p.Toxics) + " → " + describe(after.Toxics)
}

// plain says whether the link has nothing on it but at most the latency that the lab sets.
func (p Proxy) plain() bool {
	return len(p.Toxics) == 0 ||
		len(p.Toxics) == 1 && p.Toxics[0].Name == "latency_downstream" && p.Settings().JitterMS == 0 && len(p.foreign()) == 0
}

// describe returns toxics such as "latency_downstream latency=10 jitter=0".
func describe(toxics []Toxic) string {
	if len(toxics) == 0 {
		return "no toxic"
	}
	texts := make([]string, len(toxics))
	for i, t := range toxics {
		texts[i] = t.Name
		if t.Name != t.Type+"_"+t.Stream {
			texts[i] += fmt.Sprintf(" (%s, %s)", t.Type, t.Stream)
		}
		for _, key := range slices.Sorted(maps.Keys(t.Attributes)) {
			texts[i] += fmt.Sprintf(" %s=%v", key, t.Attributes[key])
		}
		if t.Toxicity != 1 {
			texts[i] += fmt.Sprintf(" toxicity=%v", t.Toxicity)
		}
	}
	return strings.Join(texts, ", ")
}
