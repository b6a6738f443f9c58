package link

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
)

// Snapshot is what toxiproxy held at one moment: links, sorted by name, with all toxics, whoever made them.
type Snapshot []Proxy

// Read reads the client's links, each by itself: one that is stalled hides no other. Why a link isn't in the snapshot
// stands in unread: it is stalled, or toxiproxy doesn't have it.
func (c *Client) Read(ctx context.Context) (s Snapshot, unread map[string]error, err error) {
	proxies, failed := make([]Proxy, len(c.links)), make([]error, len(c.links))
	var all sync.WaitGroup
	for i, name := range c.links {
		all.Go(func() { proxies[i], failed[i] = c.Proxy(ctx, name) })
	}
	all.Wait()
	unread = map[string]error{}
	for i, wrong := range failed {
		var missing *missingError
		switch {
		case wrong == nil:
			s = append(s, proxies[i])
		case isStalled(wrong), errors.As(wrong, &missing):
			unread[c.links[i]] = wrong
		default:
			return nil, nil, wrong
		}
	}
	slices.SortFunc(s, func(a, b Proxy) int { return strings.Compare(a.Name, b.Name) })
	return s, unread, nil
}

// Snapshot reads all of the client's links; that one of them is stalled is an error.
func (c *Client) Snapshot(ctx context.Context) (Snapshot, error) {
	s, unread, err := c.Read(ctx)
	for _, wrong := range unread {
		if isStalled(wrong) {
			return nil, wrong
		}
	}
	return s, err
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

func (s Snapshot) names() []string {
	names := make([]string, len(s))
	for i, p := range s {
		names[i] = p.Name
	}
	return names
}

// SetMS returns the milliseconds of round trip that the link is set to take: the sum over all its toxics of either
// direction, since they add up whoever made them.
func (s Snapshot) SetMS(link string) float64 {
	p, _ := s.Proxy(link)
	return p.Settings().LatencyMS
}

// Difference says in words what changed from s to other, or "" if nothing did.
func (s Snapshot) Difference(other Snapshot) string {
	var changes []string
	for _, before := range s {
		after, ok := other.Proxy(before.Name)
		if !ok {
			changes = append(changes, before.Name+": gone")
		} else if change := before.difference(after); change != "" {
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
