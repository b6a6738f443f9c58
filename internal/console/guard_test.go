package console

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestGuardRefusesWhatNoPageOfItsOwnAsks(t *testing.T) {
	const own = "http://127.0.0.1:8080"
	cases := []struct {
		name, method, host, origin, site, kind string
		status                                 int
	}{
		{"a page", "GET", "127.0.0.1:8080", "", "", "", 200},
		{"by name", "GET", "localhost:8080", "", "", "", 200},
		{"over IPv6", "GET", "[::1]:8080", "", "", "", 200},
		{"in the lab's network", "GET", "lab:8080", "", "", "", 200},
		{"a foreign name for 127.0.0.1", "GET", "evil.example:8080", "", "", "", 421},
		{"another port", "GET", "127.0.0.1:8081", "", "", "", 421},
		{"no port", "GET", "127.0.0.1", "", "", "", 421},
		{"a change", "POST", "127.0.0.1:8080", own, "same-origin", "application/json", 200},
		{"a change with a character set", "POST", "127.0.0.1:8080", own, "", "application/json; charset=utf-8", 200},
		{"a change by fetch metadata alone", "POST", "127.0.0.1:8080", "", "same-origin", "application/json", 200},
		{"a foreign origin", "POST", "127.0.0.1:8080", "http://evil.example", "", "application/json", 403},
		{
			"another of the machine's programs",
			"POST",
			"127.0.0.1:8080",
			"http://127.0.0.1:3000",
			"same-site",
			"application/json",
			403,
		},
		{"a foreign site without an origin", "POST", "127.0.0.1:8080", "", "cross-site", "application/json", 403},
		{"a sandboxed frame", "POST", "127.0.0.1:8080", "null", "", "application/json", 403},
		{"nobody", "POST", "127.0.0.1:8080", "", "", "application/json", 403},
		{"a form", "POST", "127.0.0.1:8080", own, "", "application/x-www-form-urlencoded", 415},
		{"text that poses as JSON", "POST", "127.0.0.1:8080", own, "", "text/plain", 415},
		{
			"a foreign name and its origin",
			"POST",
			"evil.example:8080",
			"http://evil.example:8080",
			"same-origin",
			"application/json",
			421,
		},
		{"another method", "DELETE", "127.0.0.1:8080", own, "", "application/json", 405},
	}
	handler := newGuard(
		"8080",
		[]string{" lab:8080", ""},
	).protect(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) }))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			request := httptest.NewRequest(c.method, "/", strings.NewReader("{}"))
			request.Host = c.host
			for name, value := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site, "Content-Type": c.kind} {
				if value != "" {
					request.Header.Set(name, value)
				}
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, request)
			if w.Code != c.status {
				t.Errorf("%d %s, wanted %d", w.Code, w.Body, c.status)
			}
			if got := w.Header().Get("Content-Security-Policy"); got != policy {
				t.Errorf("policy %q", got)
			}
			if c.status != 200 && !strings.Contains(w.Body.String(), `{"error":"`) {
				t.Errorf("said %q, wanted why", w.Body)
			}
		})
	}
}

func TestPolicyAllowsNothingInline(t *testing.T) {
	if strings.Contains(policy, "unsafe") || !strings.HasPrefix(policy, "default-src 'none'") {
		t.Error(policy)
	}
}
