package console

import (
	"fmt"
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

// hostNames are the names that the console answers to, with their ports: those that the published port has on the host,
// and more.
func hostNames(port string, more []string) (hosts []string) {
	for _, name := range []string{"127.0.0.1", "localhost", "[::1]"} {
		hosts = append(hosts, name+":"+port)
		if port == "80" { // browsers leave it out
			hosts = append(hosts, name)
		}
	}
	for _, name := range more {
		if name = strings.TrimSpace(name); name != "" {
			hosts = append(hosts, strings.ToLower(name)) // as a request's is read
		}
	}
	return hosts
}

// protect puts before a handler what refuses requests that foreign pages have browsers make. A page that posts here is
// told by net/http's CrossOriginProtection. A browser that was lured to a foreign name for 127.0.0.1 says it in Host.
func protect(next http.Handler, hosts []string) http.Handler {
	origin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !slices.Contains(hosts, strings.ToLower(r.Host)) {
			text := fmt.Sprintf("the console doesn't answer to the name %q: open http://%s", r.Host, hosts[0])
			writeError(w, &httpError{http.StatusMisdirectedRequest, text})
			return
		}
		if err := origin.Check(r); err != nil {
			text := "only the console's own pages may change the lab: " + err.Error()
			writeError(w, &httpError{http.StatusForbidden, text})
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostBody)
		next.ServeHTTP(w, r)
	})
}
