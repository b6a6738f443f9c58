package console

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

// handler answers all requests.
func (c *Console) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /static/{name}", static)
	mux.HandleFunc("GET /static/chart.js", chart)
	mux.HandleFunc("GET /events", c.api((*parts).serveEvents))
	mux.HandleFunc("GET /api/state", c.api((*parts).serveState))
	mux.HandleFunc("GET /metrics", c.api((*parts).serveMetrics))
	mux.HandleFunc("POST /api/links/{name}", c.api((*parts).setLink))
	mux.HandleFunc("POST /api/links/{name}/{change}", c.api((*parts).changeLink))
	mux.HandleFunc("POST /api/load", c.api((*parts).startLoad))
	mux.HandleFunc("POST /api/load/stop", c.api((*parts).stopLoad))
	mux.HandleFunc("POST /api/lessons/{name}/run", c.api((*parts).runLesson))
	mux.HandleFunc("POST /api/lessons/cancel", c.api((*parts).cancelLesson))
	mux.HandleFunc("GET /lessons", c.page("lessons", (*parts).lessonsPage))
	mux.HandleFunc("GET /lessons/{name}", c.page("lesson", (*parts).lessonPage))
	mux.HandleFunc("GET /runs", c.page("runs", (*parts).runsPage))
	mux.HandleFunc("GET /runs/{name}", c.page("run", (*parts).runPage))
	mux.HandleFunc("GET /runs/{a}/beside/{b}", c.page("beside", (*parts).besidePage))
	mux.HandleFunc("GET /runs/{a}/beside/{b}/report.html", c.api((*parts).beside))
	mux.HandleFunc("GET /runs/{name}/{file}", c.api((*parts).runFile))
	mux.HandleFunc("GET /{$}", c.page("map", (*parts).mapPage))
	mux.HandleFunc("/", c.nowhere)
	return protect(mux, c.hosts)
}

// api answers for machines: with JSON, errors included.
func (c *Console) api(do func(*parts, http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, waiting := c.ready()
		if p == nil {
			w.Header().Set("Retry-After", "2")
			writeError(w, &httpError{http.StatusServiceUnavailable, "the console isn't ready yet: " + waiting})
			return
		}
		if err := do(p, w, r); err != nil {
			writeError(w, err)
		}
	}
}

// page answers people: with a page of that template, whose title and data fill returns.
func (c *Console) page(template string, fill func(*parts, *http.Request) (string, any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, waiting := c.ready()
		if p == nil {
			w.Header().Set("Retry-After", "2")
			c.render(w, http.StatusServiceUnavailable, page{Template: "starting", Title: "Starting", Data: waiting})
			return
		}
		title, data, err := fill(p, r)
		if err != nil {
			c.fail(w, r, err)
			return
		}
		c.render(w, http.StatusOK, page{template, title, p.now(r.Context()), data})
	}
}

// mapPage shows the map, and all that acts on it.
func (p *parts) mapPage(r *http.Request) (title string, data any, err error) {
	return "The map", drawMap(p.now(r.Context()), p.hub.lastPaths()), nil
}

// fail answers people with what went wrong.
func (c *Console) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := statusOf(err)
	var known *httpError
	if !errors.As(err, &known) {
		status = http.StatusInternalServerError
	}
	var state State
	if p, _ := c.ready(); p != nil {
		state = p.now(r.Context())
	}
	failure := struct {
		Status int
		Text   string
	}{status, err.Error()}
	c.render(w, status, page{"failure", http.StatusText(status), state, failure})
}

// nowhere answers for addresses that aren't there.
func (c *Console) nowhere(w http.ResponseWriter, r *http.Request) {
	err := &httpError{
		http.StatusNotFound,
		"there is nothing at " + r.URL.Path + ": the map is at /, lessons at /lessons, runs at /runs",
	}
	if strings.HasPrefix(r.URL.Path, "/api/") || r.Method != http.MethodGet {
		writeError(w, err)
		return
	}
	c.fail(w, r, err)
}

// serveState answers with what is known just now.
func (p *parts) serveState(w http.ResponseWriter, r *http.Request) error {
	writeJSON(w, http.StatusOK, p.measured(r.Context()))
	return nil
}

// now is what is known without waiting for more: a page's first picture.
func (p *parts) now(ctx context.Context) State {
	watched := p.watched()
	p.hub.ask()
	if state, fresh, _ := p.hub.latest(); fresh && watched {
		return state
	}
	if p.lock.text() == "" {
		p.links.refresh(ctx)
	}
	return p.state()
}

// measuredWait is how long to wait for probes that have rested since nobody watched.
const measuredWait = 2500 * time.Millisecond

// measured is what is known, measured by now: where nobody watched before it waits for the probes.
func (p *parts) measured(ctx context.Context) State {
	watched := p.watched()
	p.hub.ask()
	asked := time.Now()
	state, fresh, next := p.hub.latest()
	if fresh && watched {
		return state
	}
	p.wake.beat()
	giveUp := time.After(measuredWait)
	for state.Time.Sub(asked) < beat {
		select {
		case <-next:
		case <-ctx.Done():
			return state
		case <-giveUp:
			return p.now(ctx)
		}
		state, _, next = p.hub.latest()
	}
	return state
}
