// Package web holds the console's pages: Go templates for the first picture, plain JavaScript for what moves in it.
// What both draw, the map, is put in words here alone: the template writes the first one, the events carry each later
// one to the browser.
package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"os"
)

//go:embed *.html static
var files embed.FS

// Pages renders the pages and serves what they load.
type Pages struct {
	templates *template.Template
	static    map[string]file // by name
	hash      string          // of all of them: it is part of their address, so a browser may keep them for ever
}

// New reads chart.js from chartJS, the file of the system's package, and all else from the program itself.
func New(chartJS string) (*Pages, error) {
	chart, err := os.ReadFile(chartJS)
	if err != nil {
		return nil, fmt.Errorf("read the chart library: %w", err)
	}
	contents := map[string][]byte{"chart.js": chart}
	entries, err := files.ReadDir("static")
	if err != nil {
		return nil, fmt.Errorf("list the console's own files: %w", err)
	}
	for _, e := range entries {
		if contents[e.Name()], err = files.ReadFile("static/" + e.Name()); err != nil {
			return nil, fmt.Errorf("read the console's own files: %w", err)
		}
	}
	p := &Pages{static: packed(contents), hash: hashOf(contents)}
	p.templates, err = template.New("").Funcs(p.functions()).ParseFS(files, "*.html")
	if err != nil {
		return nil, fmt.Errorf("read the console's templates: %w", err)
	}
	return p, nil
}

// Render writes a page. Nothing is written where it can't be rendered.
func (p *Pages) Render(w io.Writer, page Page) error {
	name := page.top().Template
	var out bytes.Buffer
	if err := p.templates.ExecuteTemplate(&out, name, page); err != nil {
		return fmt.Errorf("render page %s: %w", name, err)
	}
	_, err := out.WriteTo(w)
	return err
}

// functions are what templates call.
func (p *Pages) functions() template.FuncMap {
	return template.FuncMap{
		"static":    func(name string) string { return "/static/" + p.hash + "/" + name },
		"slider":    sliderOf,
		"undecided": undecided,
		"clock":     clock,
		"day":       day,
		"ratio":     ratio,
		"interval":  interval,
		"times":     times,
		"scale":     scaleOf,
		"tight":     tight,
		"about":     about,
		"missed":    missed,
	}
}
