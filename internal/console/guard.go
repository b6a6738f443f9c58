package console

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// mostBody is the largest body of a request, in bytes: they are a few settings each.
const mostBody = 64 << 10

// The policies of the console's own pages and of reports, which bring their style along and run nothing.
const (
	policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
		"frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
	reportPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)

// A guard refuses requests that no page of the console can have made: a browser that was lured to a foreign name for
// 127.0.0.1 says that name in Host, a foreign page that posts here says where it is from.
type guard struct {
	hosts []string // with their ports
}

// newGuard lets in the names that the published port has on the host, and those given beside.
func newGuard(port string, more []string) guard {
	var g guard
	for _, name := range []string{"127.0.0.1", "localhost", "[::1]"} {
		g.hosts = append(g.hosts, name+":"+port)
		if port == "80" { // browsers leave it out
			g.hosts = append(g.hosts, name)
		}
	}
	for _, name := range more {
		if name = strings.TrimSpace(name); name != "" {
			g.hosts = append(g.hosts, name)
		}
	}
	return g
}

// protect puts the guard before a handler.
func (g guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		if err := g.check(r); err != nil {
			writeError(w, err)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostBody)
		next.ServeHTTP(w, r)
	})
}

func (g guard) check(r *http.Request) error {
	if !slices.Contains(g.hosts, strings.ToLower(r.Host)) {
		return &httpError{
			http.StatusMisdirectedRequest,
			fmt.Sprintf("the console doesn't answer to the name %q: open http://%s", r.Host, g.hosts[0]),
		}
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return nil
	case http.MethodPost:
	default:
		return &httpError{
			http.StatusMethodNotAllowed,
			fmt.Sprintf("%s isn't understood here: GET shows and POST changes", r.Method),
		}
	}
	if err := sameOrigin(r); err != nil {
		return err
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &httpError{
			http.StatusUnsupportedMediaType,
			"what is posted has to be JSON: send Content-Type: application/json",
		}
	}
	return nil
}

// sameOrigin refuses a change that another site's page asks for. Every browser says Origin with a POST; who isn't a
// browser has to say it too, so that nothing comes in for want of a header.
func sameOrigin(r *http.Request) error {
	own := "http://" + r.Host
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	switch {
	case origin != "" && !strings.EqualFold(origin, own):
		return &httpError{
			http.StatusForbidden,
			fmt.Sprintf("a change asked for by %s is refused: only the console's own pages may change the lab", origin),
		}
	case site != "" && site != "same-origin":
		return &httpError{
			http.StatusForbidden,
			"a change asked for by another site's page is refused: only the console's own pages may change the lab",
		}
	case origin == "" && site == "":
		return &httpError{http.StatusForbidden, "who asks for a change has to say where it is from: send Origin: " + own}
	}
	return nil
}
