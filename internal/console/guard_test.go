package console

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestGuardRefusesWhatForeignPagesAsk(t *testing.T) {
	const address, own = "127.0.0.1:8080", "http://127.0.0.1:8080"
	cases := []struct {
		name, method, host, origin, site string
		status                           int
	}{
		{"a page", "GET", address, "", "", 200},
		{"by name", "GET", "localhost:8080", "", "", 200},
		{"over IPv6", "GET", "[::1]:8080", "", "", 200},
		{"in the lab's network", "GET", "lab:8080", "", "", 200},
		{"in capitals", "GET", "LAB:8080", "", "", 200},
		{"a foreign name for 127.0.0.1", "GET", "evil.example:8080", "", "", 421},
		{"another port", "GET", "127.0.0.1:8081", "", "", 421},
		{"no port", "GET", "127.0.0.1", "", "", 421},
		{"a change", "POST", address, own, "same-origin", 200},
		{"a change by origin alone", "POST", "lab:8080", "http://lab:8080", "", 200},
		{"a program", "POST", address, "", "", 200},
		{"another of the machine's programs", "POST", address, "http://127.0.0.1:3000", "same-site", 403},
		{"a foreign site without an origin", "POST", address, "", "cross-site", 403},
		{"a foreign page", "POST", address, "http://evil.example", "cross-site", 403},
		{"a foreign form over a name without TLS", "POST", "lab:8080", "null", "", 403},
		{"a foreign fetch without TLS", "POST", "lab:8080", "http://evil.example", "", 403},
		{"a foreign name and its origin", "POST", "evil.example:8080", "http://evil.example:8080", "same-origin", 421},
	}
	done := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) })
	handler := protect(done, hostNames("8080", []string{" Lab:8080", ""}))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			request := httptest.NewRequest(c.method, "/", strings.NewReader("{}"))
			request.Host = c.host
			for name, value := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site} {
				if value != "" {
					request.Header.Set(name, value)
				}
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, request)
			if w.Code != c.status {
				t.Errorf("%d %s, wanted %d", w.Code, w.Body, c.status)
			}
			got := w.Header().Get("Content-Security-Policy")
			if strings.Contains(got, "unsafe") || !strings.HasPrefix(got, "default-src 'none'") {
				t.Errorf("policy %q", got)
			}
			if c.status != 200 && !strings.Contains(w.Body.String(), `{"error":"`) {
				t.Errorf("said %q, wanted why", w.Body)
			}
		})
	}
}
