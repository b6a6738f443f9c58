package console

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"pooler-lab/internal/fault"
	"pooler-lab/internal/topology"
)

// handler answers all requests: before the lab is ready, with what it waits for.
func (c *Console) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /static/{name}", static)
	mux.HandleFunc("GET /static/chart.js", chart)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		p, waiting := c.ready()
		if p != nil {
			p.handler.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Retry-After", "2")
		if forProgram(r) {
			writeError(w, &httpError{http.StatusServiceUnavailable, "the console isn't ready yet: " + waiting})
			return
		}
		c.render(w, http.StatusServiceUnavailable, page{Template: "starting", Title: "Starting", Data: waiting})
	})
	return protect(mux, c.hosts)
}

// An answer is written by its request's handler, or its error says why not.
type answer func(http.ResponseWriter, *http.Request) error

// routes answers once the lab is ready.
func (p *parts) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, do := range map[string]answer{
		"GET /events":                          p.serveEvents,
		"GET /api/state":                       p.serveState,
		"GET /metrics":                         p.serveMetrics,
		"POST /api/links/{name}":               p.setLink,
		"POST /api/links/{name}/cut":           p.changeLinks(p.source.Links.Cut),
		"POST /api/links/{name}/restore":       p.changeLinks(p.source.Links.Restore),
		"POST /api/links/{name}/reset":         p.changeLinks(p.resetLink),
		"POST /api/load":                       p.startLoad,
		"POST /api/load/stop":                  p.stopLoad,
		"POST /api/break/{verb}":               p.breakNode,
		"POST /api/lessons/{name}/run":         p.runLesson,
		"POST /api/lessons/cancel":             p.cancelLesson,
		"GET /lessons":                         p.page("lessons", p.lessonsPage),
		"GET /lessons/{name}":                  p.page("lesson", p.lessonPage),
		"GET /runs":                            p.page("runs", p.runsPage),
		"GET /runs/{name}":                     p.page("run", p.runPage),
		"GET /runs/{a}/beside/{b}":             p.page("beside", p.besidePage),
		"GET /runs/{a}/beside/{b}/report.html": p.beside,
		"GET /runs/{name}/{file}":              p.runFile,
		"GET /{$}":                             p.page("map", p.mapPage),
		"/":                                    nowhere,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := do(w, r); err != nil {
				p.fail(w, r, err)
			}
		})
	}
	return mux
}

// page answers with a page of that template, whose title and data fill returns.
func (p *parts) page(template string, fill func(*http.Request) (title string, data any, err error)) answer {
	return func(w http.ResponseWriter, r *http.Request) error {
		title, data, err := fill(r)
		if err == nil {
			p.render(w, http.StatusOK, page{template, title, p.now(r.Context()), data})
		}
		return err
	}
}

// mapPage shows the map, and all that acts on it.
func (p *parts) mapPage(r *http.Request) (title string, data any, err error) {
	page := mapPage{
		drawnMap:    drawMap(p.now(r.Context())),
		Presets:     p.source.Presets,
		Workloads:   workloads,
		MostClients: mostClients,
		Nodes:       topology.Nodes(),
		Verbs:       fault.ForOne(),
	}
	for _, path := range p.source.Set.Paths {
		page.Paths = append(page.Paths, choice{path.Name, path.Meaning, noLoadOn(path)})
	}
	return "The map", page, nil
}

// nowhere answers for addresses that aren't there.
func nowhere(_ http.ResponseWriter, r *http.Request) error {
	return &httpError{http.StatusNotFound,
		"there is nothing at " + r.URL.Path + ": the map is at /, lessons at /lessons, runs at /runs"}
}

// fail says what went wrong: people see a page, programs get JSON.
func (p *parts) fail(w http.ResponseWriter, r *http.Request, err error) {
	if forProgram(r) {
		writeError(w, err)
		return
	}
	status := statusOf(err)
	failure := struct {
		Status int
		Text   string
	}{status, err.Error()}
	p.render(w, status, page{"failure", http.StatusText(status), p.now(r.Context()), failure})
}

// forProgram says whether a program asks, and no person who looks at a page.
func forProgram(r *http.Request) bool {
	programs := []string{"/events", "/metrics"}
	return r.Method != http.MethodGet || strings.HasPrefix(r.URL.Path, "/api/") || slices.Contains(programs, r.URL.Path)
}

// serveState answers with what is known just now.
func (p *parts) serveState(w http.ResponseWriter, r *http.Request) error {
	writeJSON(w, http.StatusOK, p.measured(r.Context()))
	return nil
}

// attend has all be watched from now on, and says whether it was before.
func (p *parts) attend(ctx context.Context) (before bool) {
	before = p.watched()
	p.hub.ask()
	if !before {
		p.wake.beat()
		if p.lock.text() == "" {
			p.links.refresh(ctx)
		}
	}
	return before
}

// now is what is known without waiting for more: a page's first picture.
func (p *parts) now(ctx context.Context) State {
	p.attend(ctx)
	return p.state()
}

// probesWait is how long probes that have rested take until most of them have measured something.
const probesWait = 1500 * time.Millisecond

// measured is what is known once all is watched: who is the first to ask waits for the probes.
func (p *parts) measured(ctx context.Context) State {
	if !p.attend(ctx) {
		select {
		case <-ctx.Done():
		case <-time.After(probesWait):
		}
	}
	return p.state()
}
