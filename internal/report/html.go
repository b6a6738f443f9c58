package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"

	"pooler-lab/internal/result"
)

// HTMLFile is the name of a run's page within its folder.
const HTMLFile = "report.html"

//go:embed *.html style.css
var files embed.FS

var templates = template.Must(template.ParseFS(files, "*.html"))

// HTML makes the run's page: one file that holds all it needs, and opens without a network and without JavaScript.
//
// Its charts are SVG that the server draws. A library in the browser draws on a canvas, which keeps the colours of
// the screen on paper, says nothing to a screen reader and would put its 200 KB into each report; those for Go write
// their colours into what they draw. So scales and ticks come from a library and the marks get their looks from the
// page's one stylesheet.
func HTML(run *result.Run) ([]byte, error) {
	return render("run", run.Lesson.Name+": "+run.Lesson.Question, NewPage(run))
}

// render fills the template of that name with data and puts the base around it.
func render(name, title string, data any) ([]byte, error) {
	style, err := files.ReadFile("style.css")
	if err != nil {
		return nil, fmt.Errorf("read the report's stylesheet: %w", err)
	}
	var body, page bytes.Buffer
	if err := templates.ExecuteTemplate(&body, name, data); err != nil {
		return nil, fmt.Errorf("make the report: %w", err)
	}
	// Both are the package's own: the stylesheet as it is embedded, the body as its template has escaped it.
	base := map[string]any{"Name": name, "Title": title, "Style": template.CSS(style),
		"Body": template.HTML(body.String())}
	if err := templates.ExecuteTemplate(&page, "base", base); err != nil {
		return nil, fmt.Errorf("make the report: %w", err)
	}
	return page.Bytes(), nil
}
