// Package htmlreport makes a run's report: one HTML file that holds all it needs, opens without a network and without
// JavaScript, and is made from run.json and from nothing else.
//
// Its charts are SVG that the server draws. A library in the browser draws on a canvas, which keeps the colours of
// the screen on paper, says nothing to a screen reader and would put its 200 KB into each report; those for Go write
// their colours into what they draw. So scales and ticks come from a library and the marks get their looks from the
// page's one stylesheet.
package htmlreport

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strings"
)

// File is the name of a run's report within its folder.
const File = "report.html"

//go:embed *.html style.css
var files embed.FS

var templates = template.Must(template.ParseFS(files, "*.html"))

// A base is what every page has around its own part.
type base struct {
	Name  string // of the template that made its part
	Title string
	Style template.CSS
	Body  template.HTML
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
	b := base{Name: name, Title: title, Style: template.CSS(style), Body: template.HTML(body.String())}
	if err := templates.ExecuteTemplate(&page, "base", b); err != nil {
		return nil, fmt.Errorf("make the report: %w", err)
	}
	return page.Bytes(), nil
}

// A Table is one of a page. The first cell of each row is its heading.
type Table struct {
	Name, Caption string
	Prose         bool // its fields are sentences, and break
	Head          []Head
	Rows          []Row
}

// A Head is a column's heading.
type Head struct {
	Text, Unit string
	Number     bool // its figures stand at the right
}

// A Row is a line of a table.
type Row struct {
	Class string
	Cells []Cell
}

// A Cell is one field of a table.
type Cell struct {
	Text, Note string
	Class      string
	Span       int // columns it takes; 0 is one
}

// A Term is a name and what it stands for.
type Term struct{ Name, Text string }

// words makes plain cells.
func words(texts ...string) []Cell {
	var cells []Cell
	for _, t := range texts {
		cells = append(cells, Cell{Text: t})
	}
	return cells
}

func heads(texts ...string) []Head {
	var all []Head
	for _, t := range texts {
		all = append(all, Head{Text: t})
	}
	return all
}

// sentence makes the first letter a capital.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
