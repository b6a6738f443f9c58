package console

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"slices"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/link"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// web holds the console's pages: Go templates for the first picture, plain JavaScript for what moves in it. What both
// draw, the map, is put in words by the server alone: the template writes the first one, the events carry each later
// one to the browser.
//
//go:embed web
var web embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"stops": stops,
	"clock": metric.Clock,
	"day":   day,
	"tight": tight,
	"about": about,
}).ParseFS(web, "web/*.html"))

// A page is what a template shows.
type page struct {
	Template string // its name
	Title    string
	State    State // zero while the lab starts
	Data     any   // what this page alone has
}

// A mapPage shows the map, and what the lab can be told there.
type mapPage struct {
	drawnMap
	Presets     link.Presets
	Workloads   []workload
	Paths       []choice // of the live load
	MostClients int
	Nodes       []string // of PostgreSQL, which can be broken
	Verbs       []string // for one of them
}

// A choice is one of several; Off says why it can't be taken.
type choice struct{ Name, Meaning, Off string }

// A lessonPage asks for a prediction, runs a lesson and leads to the page of its run.
type lessonPage struct {
	Lesson shownLesson
	Runs   []shownRun
}

// A shownLesson is one in the list, and at the top of its page.
type shownLesson struct {
	*lesson.Lesson          // has nothing but a name where it can't be read
	Paths          []choice // that it measures
	Runs           int
	Trouble        string // why it can't be read
}

// Throughput says whether there is one to guess: scenarios have none, and events end it.
func (l shownLesson) Throughput() bool {
	return !slices.ContainsFunc(l.Experiments, func(e lesson.Experiment) bool {
		return e.Scenarios != nil || e.Events != nil
	})
}

// A shownRun is one in a list.
type shownRun struct {
	result.Run               // without cells
	Took       time.Duration // 0 where it never ended
	Predicted  bool
	Unreadable bool // its document; Reason says why
}

// Running says whether the run goes on.
func (r shownRun) Running() bool { return r.Status == result.Running }

// A runPage shows a run's report, and what was predicted beside it.
type runPage struct {
	shownRun
	Prediction *Prediction // nil where nobody made one
	Guesses    []guess
	Others     []shownRun // of the same lesson, to be put beside it
}

// A guess is what a prediction says of a comparison.
type guess struct{ Text, Ratio string }

// render answers with a page. Where it can't be rendered, nothing of it is sent.
func (c *Console) render(w http.ResponseWriter, status int, p page) {
	var text bytes.Buffer
	if err := templates.ExecuteTemplate(&text, p.Template, p); err != nil {
		c.log.Printf("render page %s: %v", p.Template, err)
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // whoever asked has gone
}

// static serves what pages load. A browser asks each time, so that no page has scripts from before an update.
func static(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeFileFS(w, r, web, "web"+r.URL.Path)
}

// chart serves the chart library, from where Debian's package has it.
func chart(w http.ResponseWriter, r *http.Request) {
	http.ServeFile(w, r, "/usr/share/javascript/chart.js/chart.min.js")
}
