package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"pooler-lab/internal/link"
	"pooler-lab/internal/suggest"
)

// everything is the name that stands for all links.
const everything = "all"

// notInToxiproxy is why a link that toxiproxy doesn't know has no round trip.
const notInToxiproxy = "toxiproxy doesn't have it; restart that service to have it read its file again"

// changeWait is how long a change of links may take: the standby may have to stream from elsewhere.
const changeWait = 25 * time.Second

// A linkRequest is what a link is to be set to. What is left out stays as it is.
type linkRequest struct {
	LatencyMS *int   `json:"latency_ms"`
	JitterMS  *int   `json:"jitter_ms"`
	DownKBps  *int   `json:"down_kbps"`
	UpKBps    *int   `json:"up_kbps"`
	Preset    string `json:"preset"`
}

// over returns the settings with what the order says. A jitter that isn't spoken of gives way to a latency below it.
func (o linkRequest) over(s link.Settings) link.Settings {
	for _, f := range []struct {
		to   *int
		from *int
	}{{&s.LatencyMS, o.LatencyMS}, {&s.JitterMS, o.JitterMS}, {&s.DownKBps, o.DownKBps}, {&s.UpKBps, o.UpKBps}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if o.JitterMS == nil {
		s.JitterMS = max(0, min(s.JitterMS, s.LatencyMS))
	}
	return s
}

func (o linkRequest) empty() bool {
	return o.LatencyMS == nil && o.JitterMS == nil && o.DownKBps == nil && o.UpKBps == nil && o.Preset == ""
}

// setLink swaps the latency of a link, or of all.
func (p *parts) setLink(w http.ResponseWriter, r *http.Request) error {
	names, err := p.linksNamed(r.PathValue("name"))
	if err != nil {
		return err
	}
	var order linkRequest
	if err := readJSON(r, &order); err != nil {
		return err
	}
	wanted, err := p.settingsOf(order, names)
	if err != nil {
		return err
	}
	return p.swap(w, r, names, func(ctx context.Context) error {
		var failed []error
		for settings, names := range wanted {
			failed = append(failed, p.source.Links.Set(ctx, settings, names...))
		}
		return errors.Join(failed...)
	})
}

// settingsOf are those that the order comes to, and the links that are to have them.
func (p *parts) settingsOf(order linkRequest, names []string) (map[link.Settings][]string, error) {
	switch {
	case order.empty():
		return nil, badRequest(
			errors.New("say what the link is to be: latency_ms, jitter_ms, down_kbps, up_kbps, or a preset"),
		)
	case order.Preset != "" && order != (linkRequest{Preset: order.Preset}):
		return nil, badRequest(
			errors.New("a preset says all of a link: leave out the preset, or latency_ms, jitter_ms, down_kbps and up_kbps"),
		)
	case order.Preset != "":
		preset, err := p.source.Presets.Find(order.Preset)
		if err != nil {
			return nil, badRequest(err)
		}
		return map[link.Settings][]string{preset.Settings(): names}, nil
	}
	wanted := map[link.Settings][]string{}
	for _, name := range names {
		now, _ := p.links.proxy(name)
		settings := order.over(now.Settings())
		if err := settings.Check(); err != nil {
			return nil, badRequest(fmt.Errorf("link %s: %w", name, err))
		}
		wanted[settings] = append(wanted[settings], name)
	}
	return wanted, nil
}

// changeLink cuts a link, restores it, or ends its connections.
func (p *parts) changeLink(w http.ResponseWriter, r *http.Request) error {
	names, err := p.linksNamed(r.PathValue("name"))
	if err != nil {
		return err
	}
	changes := map[string]func(context.Context, ...string) error{
		"cut": p.source.Links.Cut, "restore": p.source.Links.Restore, "reset": p.source.Links.Reset,
	}
	what := r.PathValue("change")
	change, ok := changes[what]
	if !ok {
		return &httpError{
			http.StatusNotFound,
			suggest.Unknown("change of a link", what, []string{"cut", "restore", "reset"}).Error(),
		}
	}
	return p.swap(w, r, names, func(ctx context.Context) error {
		err := change(ctx, names...)
		if err == nil && what == "reset" {
			p.links.noteReset(names)
		}
		return err
	})
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
func (p *parts) swap(w http.ResponseWriter, r *http.Request, names []string, do func(context.Context) error) error {
	if err := p.locked(); err != nil {
		return err
	}
	// A page that goes away in the middle leaves no half of a change behind.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), changeWait)
	defer cancel()
	err := p.links.do(ctx, names, func() error { return do(ctx) })
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
	now, reachable := p.links.state()
	locked := p.lock.text()
	var all []Link
	for _, l := range p.source.Set.Links {
		from, to, _ := strings.Cut(l.Name, "-")
		state := Link{Name: l.Name, From: from, To: to, HostPort: p.source.Set.HostPort(l.Name), Off: l.Unavailable(),
			UsedBy: listed(p.source.Set.PathsOver(l.Name))}
		proxy, ok := now.Proxy(l.Name)
		set := proxy.Settings()
		state.LatencyMS, state.JitterMS = set.LatencyMS, set.JitterMS
		state.DownKBps, state.UpKBps = set.DownKBps, set.UpKBps
		stalled := p.links.stall(l.Name)
		state.Known = ok && reachable.Up && stalled == "" && locked == ""
		state.Cut, state.Others = ok && !proxy.Enabled, proxy.Others()
		seen := p.readings.measured(l.Name)
		state.MeasuredMS, state.Reason = seen.ms, seen.reason
		switch {
		case state.Off != "":
			state.MeasuredMS, state.Reason = nil, state.Off
		case locked != "":
			state.MeasuredMS, state.Reason = nil, "paused: "+locked
		case !reachable.Up:
			state.MeasuredMS, state.Reason = nil, reachable.Reason
		case stalled != "":
			state.MeasuredMS, state.Reason = nil, stalled
		case state.Cut: // whatever was measured before
			state.MeasuredMS, state.Reason = nil, cutOff
		case !ok:
			state.MeasuredMS, state.Reason = nil, notInToxiproxy
		}
		all = append(all, state)
	}
	return all
}
