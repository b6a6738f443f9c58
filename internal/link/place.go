package link

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"

	"pooler-lab/internal/topology"
)

// Elsewhere says how a link differs from what configs/toxiproxy.json has of it: it listens somewhere else, or leads to
// another server. It is empty where it is as there.
func Elsewhere(known topology.Link, p Proxy) string {
	if p.Upstream != known.Upstream {
		return fmt.Sprintf("it leads to %s, and not to %s", p.Upstream, known.Upstream)
	}
	if !listensAt(known.Listen, p.Listen) {
		return fmt.Sprintf("it listens on %s, and not on %s", p.Listen, known.Listen)
	}
	return ""
}

// listensAt says whether toxiproxy's spelling of an address is the one wanted: it has [::] for 0.0.0.0.
func listensAt(wanted, is string) bool {
	host, port, _ := net.SplitHostPort(wanted)
	isHost, isPort, _ := net.SplitHostPort(is)
	a, b := net.ParseIP(host), net.ParseIP(isHost)
	return port == isPort && (host == isHost || a.IsUnspecified() && b.IsUnspecified())
}

// place makes the link lead where configs/toxiproxy.json says, whatever somebody has made of it, and makes one that was
// deleted. Its connections end where it has to be changed.
func (s *Switch) place(ctx context.Context, link string) error {
	known, err := s.set.Link(link)
	if err != nil {
		return err
	}
	now, err := s.Proxy(ctx, link)
	var missing *missingError
	if err == nil && Elsewhere(known, now) == "" {
		return nil
	}
	if err == nil { // the lab's toxiproxy changes no addresses of a link that is there
		err = s.ask(ctx, link, http.MethodDelete, "", nil, nil)
	} else if errors.As(err, &missing) {
		err = nil
	}
	if err == nil {
		anew := Proxy{Name: link, Listen: known.Listen, Upstream: known.Upstream, Enabled: true}
		err = s.do(ctx, http.MethodPost, "/proxies", anew, nil)
	}
	if err != nil {
		return fmt.Errorf("have link %s lead to %s: %w", link, known.Upstream, err)
	}
	return nil
}

// NotOurs are the names of toxiproxy's proxies that are no links of the lab, sorted.
func (s *Switch) NotOurs(ctx context.Context) (names []string, err error) {
	var all map[string]Proxy
	if err := s.do(ctx, http.MethodGet, "/proxies", nil, &all); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if _, err := s.set.Link(name); err != nil {
			names = append(names, name)
		}
	}
	return names, nil
}
