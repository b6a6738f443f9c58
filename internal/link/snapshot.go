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
)

// Snapshot is what toxiproxy held at one moment: all links, sorted by name, with all toxics, whoever made them.
type Snapshot []Proxy

// Snapshot reads all links.
func (c *Client) Snapshot(ctx context.Context) (Snapshot, error) {
	var proxies map[string]Proxy
	if err := c.do(ctx, http.MethodGet, "/proxies", nil, &proxies); err != nil {
		return nil, err
	}
	s := Snapshot(slices.Collect(maps.Values(proxies)))
	slices.SortFunc(s, func(a, b Proxy) int { return strings.Compare(a.Name, b.Name) })
	return s, nil
}

// Put makes every link of the snapshot what it was then. Links that have come since are left alone; where one
// fails the others are still put back, and the error names all that failed.
func (c *Client) Put(ctx context.Context, s Snapshot) error {
	var failed []error
	for _, p := range s {
		failed = append(failed, c.putProxy(ctx, p))
	}
	return errors.Join(failed...)
}

func (c *Client) putProxy(ctx context.Context, p Proxy) error {
	if err := c.bring(ctx, p.Name, p.Toxics); err != nil {
		return fmt.Errorf("put link %s back: %w", p.Name, err)
	}
	if err := c.enable(ctx, p.Name, p.Enabled); err != nil {
		return fmt.Errorf("put link %s back: %w", p.Name, err)
	}
	return nil
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
