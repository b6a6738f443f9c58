package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"pooler-lab/internal/link"
)

// everything is the name that stands for all links.
const everything = "all"

// changeWait is how long a change of links may take: the standby may have to stream from elsewhere.
const changeWait = 25 * time.Second

// setLink swaps what a link is set to, or all links are.
func (p *parts) setLink(w http.ResponseWriter, r *http.Request) error {
	names, err := p.linksNamed(r.PathValue("name"))
	if err != nil {
		return err
	}
	var order json.RawMessage
	if err := readJSON(r, &order); err != nil {
		return err
	}
	wanted := map[string]link.Settings{}
	for _, name := range names {
		if wanted[name], err = ordered(order, p.links.see(name).now.Settings()); err != nil {
			return badRequest(fmt.Errorf("link %s: %w", name, err))
		}
	}
	return p.swap(w, r, names, func(ctx context.Context, name string) error {
		return p.source.Links.Set(ctx, name, wanted[name])
	})
}

// ordered is what a link is to be set to after an order of some settings. What the order leaves out stays as it is now,
// but a jitter gives way to a latency below it.
func ordered(order json.RawMessage, now link.Settings) (link.Settings, error) {
	wanted := now
	if err := decode(order, &wanted); err != nil {
		return now, err
	}
	if s := strings.TrimSpace(string(order)); s == "{}" || s == "null" {
		return now, errors.New("say what to set, such as {\"latency_ms\": 10}")
	}
	if wanted.JitterMS == now.JitterMS {
		wanted.JitterMS = max(0, min(now.JitterMS, wanted.LatencyMS))
	}
	return wanted, wanted.Check()
}

// changeLinks changes the links that an address names.
func (p *parts) changeLinks(change func(ctx context.Context, link string) error) answer {
	return func(w http.ResponseWriter, r *http.Request) error {
		names, err := p.linksNamed(r.PathValue("name"))
		if err != nil {
			return err
		}
		return p.swap(w, r, names, change)
	}
}

// resetLink ends a link's connections.
func (p *parts) resetLink(ctx context.Context, name string) error {
	err := p.source.Links.Reset(ctx, name)
	if err == nil {
		p.links.noteReset(name)
	}
	return err
}

// linksNamed returns the links that a name stands for.
func (p *parts) linksNamed(name string) ([]string, error) {
	if name == everything {
		return p.source.Set.LinkNames(), nil
	}
	if _, err := p.source.Set.Link(name); err != nil {
		return nil, &httpError{http.StatusNotFound, err.Error()}
	}
	return []string{name}, nil
}

// swap changes links unless something measures, and answers with what they are then.
func (p *parts) swap(
	w http.ResponseWriter,
	r *http.Request,
	names []string,
	do func(ctx context.Context, link string) error,
) error {
	if err := p.locked(); err != nil {
		return err
	}
	// A page that goes away in the middle leaves no half of a change behind.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), changeWait)
	defer cancel()
	err := p.links.change(ctx, names, do)
	p.wake.beat()
	if err != nil {
		return err
	}
	changed := slices.DeleteFunc(p.linkStates(), func(l Link) bool { return !slices.Contains(names, l.Name) })
	writeJSON(w, http.StatusOK, map[string][]Link{"links": changed})
	return nil
}

// locked is the refusal where nothing may be changed just now.
func (p *parts) locked() error {
	if text := p.lock.text(); text != "" {
		return &httpError{http.StatusLocked, text}
	}
	return nil
}

// linkStates are all links as they are, in the order of configs/toxiproxy.json.
func (p *parts) linkStates() []Link {
	reachable, locked := p.links.reachable(), p.lock.text()
	held := map[string]string{} // by pooler: what keeps its clients from its servers
	for _, n := range p.nodeStates() {
		if n.Kind == "pooler" && n.State == Up {
			held[n.Name] = n.Reason
		}
	}
	var all []Link
	for _, l := range p.source.Set.Links {
		seen := p.links.see(l.Name)
		state := Link{
			Name: l.Name, HostPort: p.source.Set.HostPort(l.Name), Off: l.Unavailable,
			Known:    seen.known && seen.problem == nil && reachable.Up && locked == "",
			Settings: seen.now.Settings(),
			Cut:      seen.known && !seen.now.Enabled,
			Others:   len(seen.now.Others()) > 0,
			UsedBy:   append([]string{}, p.source.Set.PathsOver(l.Name)...),
		}
		elsewhere := ""
		if seen.known {
			elsewhere = link.Elsewhere(l, seen.now)
		}
		switch {
		case state.Off != "":
			state.Reason = state.Off
		case locked != "":
			state.Reason = "paused: " + locked
		case !reachable.Up:
			state.Reason = reachable.Reason
		case seen.problem != nil:
			state.Reason = seen.problem.Error()
		case elsewhere != "":
			state.Reason = elsewhere
		case state.Cut:
			state.Reason = "cut"
		case held[l.Service()] != "":
			state.Reason = "held back: " + held[l.Service()]
		default:
			state.Reason = notMeasuredYet
			if trip, ok := p.trips.of(l.Name); ok {
				state.MeasuredMS, state.Reason = trip.ms, trip.reason
			}
		}
		all = append(all, state)
	}
	return all
}
