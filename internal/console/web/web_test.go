package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func pages(t *testing.T) *Pages {
	t.Helper()
	chart := filepath.Join(t.TempDir(), "chart.js")
	if err := os.WriteFile(chart, []byte("// the library"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := New(chart)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// state is one of a lab in which a bit of everything is the matter.
const state = `{"lock":"","presets":[{"name":"satellite","meaning":"far","latency_ms":630}],"links":[
 {"name":"client-primary","known":true,"latency_ms":10,"jitter_ms":2,"down_kbps":0,"up_kbps":0,"cut":false,"off":"","measured_ms":10.731,"reason":""},
 {"name":"client-pgpool","known":true,"latency_ms":0,"cut":true,"off":"","measured_ms":null,"reason":"cut"},
 {"name":"client-yugabyte","known":true,"latency_ms":0,"cut":false,"off":"no image","measured_ms":null,"reason":"off"},
 {"name":"client-standby","known":false,"latency_ms":0,"cut":false,"off":"","measured_ms":null,"reason":"no answer"},
 {"name":"pgpool-standby","known":true,"latency_ms":630,"jitter_ms":50,"down_kbps":100,"up_kbps":0,"cut":false,"off":"","measured_ms":640,"reason":""}],
 "nodes":[{"name":"primary","state":"up","role":"primary","backends":1},{"name":"standby","state":"down","reason":"connection refused"},
 {"name":"yugabyte","state":"off","reason":"<no> image"},{"name":"pgbouncer","state":"unknown","reason":"paused: a lesson runs, and so on"}],
 "load":{"state":"off","choices":{"workloads":[{"name":"select","meaning":"a row"}],"paths":[{"name":"direct","meaning":"m","off":""},{"name":"socket","meaning":"m","off":"no link"}],"most_clients":50}}}`

func render(t *testing.T, page, data string) string {
	t.Helper()
	var out bytes.Buffer
	all := `{"page":"` + page + `","title":"A title","state":` + state + `,"data":` + data + `}`
	if err := pages(t).Render(&out, page, json.RawMessage(all)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The first picture needs no JavaScript: it has the figures already.
func TestMapIsDrawnByTheServer(t *testing.T) {
	page := render(t, "map", "null")
	for _, want := range []string{`>10.7 ms</text>`, `>asked 10 ±2 ms</text>`, `>630 ±50 ms, narrow</text>`, `>asked ?</text>`, `10<small> ms</small>`, `max="15" step="1" value="6"`, `>cut</text>`, `>off</text>`, `>not measured</text>`, `<p>1 backend</p>`,
		`<p>down: connection refused</p>`, `<p>off: &lt;no&gt; image</p>`, `<p>paused</p>`, `value="socket" disabled`, `off: no link`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "<style") || strings.Contains(page, " style=") || strings.Contains(page, " onclick") || strings.Contains(page, "<script>") {
		t.Error("the page has inline style or script, which its policy refuses")
	}
}

const lesson = `{"name":"02-latency","title":"Latency","question":"What do 20 ms cost?","prediction":"How much is left?","minutes":5,"runs":1,"trouble":"",
 "headlines":[{"name":"far","says":"TPS at 20 ms, to none"}],"paths":[{"name":"direct","off":""}]}`

const ran = `{"name":"R","lesson":"02-latency","title":"Latency","question":"What?","started":"2026-11-21T20:08:38Z","seconds":61,"status":"interrupted","reason":"cancelled",
 "report":true,"csv":true,"predicted":true,"explanation":"Because.","prediction":{"words":"<b>half","path":"","factor":null,"headlines":{"far":0.5}},"outcome":null,"others":[],
 "verdicts":[{"name":"far","says":"TPS at 20 ms, to none","ratio":0.05,"lo":0.04,"hi":0.06,"word":"lower","why":""},{"name":"other","says":"more clients","ratio":null,"lo":null,"hi":null,"word":"not in this run","why":""}]}`

func TestLessonAsksFirstAndRevealsThen(t *testing.T) {
	before := render(t, "lesson", `{"lesson":`+lesson+`,"runs":[],"revealed":null}`)
	if !strings.Contains(before, "How much is left?") || !strings.Contains(before, `data-headline="far"`) || strings.Contains(before, "Because.") {
		t.Error("before a run the page doesn't ask, or tells already")
	}
	after := render(t, "lesson", `{"lesson":`+lesson+`,"runs":[`+ran+`],"revealed":`+ran+`}`)
	for _, want := range []string{"“&lt;b&gt;half”", ">0.50<", "10.0 times too much", "0.050", "0.040 to 0.060", "Because.", "interrupted: cancelled", "/runs/R/report.html", "took 1:01"} {
		if !strings.Contains(after, want) {
			t.Errorf("the reveal lacks %q", want)
		}
	}
	unread := render(t, "lesson", `{"lesson":{"name":"x","trouble":"no such field"},"runs":[],"revealed":null}`)
	if !strings.Contains(unread, "no such field") || !strings.Contains(unread, `aria-labelledby="predict-title" hidden`) {
		t.Error("a lesson that can't be read doesn't say so, or asks all the same")
	}
}

// A run that says nothing has to say what to do about it; one that says something, or has too few repeats, doesn't.
func TestRunThatSaysNothingNamesTheNextStep(t *testing.T) {
	for words, next := range map[string]bool{"inconclusive,inconclusive": true, "inconclusive,not in this run": true, "not in this run": false, "inconclusive,lower": false, "no interval": false} {
		run := strings.Replace(ran[:strings.Index(ran, `"verdicts"`)], `"interrupted"`, `"finished"`, 1) + `"verdicts":[`
		for i, word := range strings.Split(words, ",") {
			run += strings.Repeat(",", min(i, 1)) + `{"name":"n","says":"s","ratio":2,"lo":1,"hi":3,"word":"` + word + `","why":""}`
		}
		if page := render(t, "run", `{"run":`+run+`]}}`); strings.Contains(page, "Close what else runs") != next {
			t.Errorf("%s: the next step is named: %v", words, !next)
		}
	}
}

func TestEveryPageRenders(t *testing.T) {
	for page, data := range map[string]string{"lessons": `{"lessons":[` + lesson + `]}`, "runs": `{"runs":[` + ran + `]}`, "run": `{"run":` + ran + `}`,
		"beside": `{"a":` + ran + `,"b":` + ran + `}`, "starting": `{"text":"loading"}`, "failure": `{"status":404,"text":"There is nothing."}`} {
		if text := render(t, page, data); !strings.Contains(text, "</html>") || strings.Contains(text, "no value>") {
			t.Errorf("page %s is not whole:\n%s", page, text)
		}
	}
}

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
	if now.Code != http.StatusOK || !strings.Contains(now.Header().Get("Cache-Control"), "immutable") || !strings.HasPrefix(now.Header().Get("Content-Type"), "text/javascript") {
		t.Errorf("a file by its hash: %d %v", now.Code, now.Header())
	}
	if w := ask("/static/old/console.css", ""); w.Code != http.StatusOK || w.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("a file by an old hash: %d %v, wanted today's and not to be kept", w.Code, w.Header())
	}
	if w := ask("/static/"+p.hash+"/chart.js", now.Header().Get("ETag")); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("a file that hasn't changed: %d", w.Code)
	}
	r := httptest.NewRequest(http.MethodGet, "/static/"+p.hash+"/console.css", nil)
	r.Header.Set("Accept-Encoding", "br, gzip")
	w := httptest.NewRecorder()
	p.Static().ServeHTTP(w, r)
	if small, plain := w.Body.Len(), ask("/static/"+p.hash+"/console.css", "").Body.Len(); w.Header().Get("Content-Encoding") != "gzip" || small == 0 || 2*small > plain {
		t.Errorf("who takes gzip gets %d bytes of %d, encoded as %q", small, plain, w.Header().Get("Content-Encoding"))
	}
	if w := ask("/static/"+p.hash+"/web.go", ""); w.Code != http.StatusNotFound {
		t.Errorf("no such file: %d", w.Code)
	}
}
