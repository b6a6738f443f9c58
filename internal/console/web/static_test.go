package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestStaticFilesAreKeptByTheirHash(t *testing.T) {
	p := pages(t)
	ask := func(path, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		p.Static().ServeHTTP(w, r)
		return w
	}
	now := ask("/static/"+p.hash+"/console.js", "")
	kept := strings.Contains(now.Header().Get("Cache-Control"), "immutable")
	script := strings.HasPrefix(now.Header().Get("Content-Type"), "text/javascript")
	if now.Code != http.StatusOK || !kept || !script {
		t.Errorf("a file by its hash: %d %v", now.Code, now.Header())
	}
	old := ask("/static/old/console.css", "")
	if old.Code != http.StatusOK || old.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("a file by an old hash: %d %v, wanted today's and not to be kept", old.Code, old.Header())
	}
	same := ask("/static/"+p.hash+"/chart.js", now.Header().Get("ETag"))
	if same.Code != http.StatusNotModified || same.Body.Len() > 0 {
		t.Errorf("a file that hasn't changed: %d", same.Code)
	}
	if w := ask("/static/"+p.hash+"/web.go", ""); w.Code != http.StatusNotFound {
		t.Errorf("no such file: %d", w.Code)
	}
}

func TestStaticFilesAreCompressedForWhoTakesIt(t *testing.T) {
	p := pages(t)
	size := func(encodings string) (int, string) {
		r := httptest.NewRequest(http.MethodGet, "/static/"+p.hash+"/console.css", nil)
		r.Header.Set("Accept-Encoding", encodings)
		w := httptest.NewRecorder()
		p.Static().ServeHTTP(w, r)
		return w.Body.Len(), w.Header().Get("Content-Encoding")
	}
	plain, _ := size("")
	small, encoding := size("br, gzip")
	if encoding != "gzip" || small == 0 || 2*small > plain {
		t.Errorf("who takes gzip gets %d bytes of %d, encoded as %q", small, plain, encoding)
	}
}
