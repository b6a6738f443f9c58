// Package web holds the console's pages: Go templates for the first picture, plain JavaScript for what moves in it.
// It knows the console's state by its JSON names alone, as the browser does, so that a page drawn here and a page
// that a browser has brought up to date show the same.
package web

import (
	"bytes"
	"embed"
	"encoding/json"
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

// Render writes the page of that name. Nothing is written where it can't be rendered.
func (p *Pages) Render(w io.Writer, page string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode the data of page %s: %w", page, err)
	}
	var plain map[string]any
	if err := json.Unmarshal(raw, &plain); err != nil {
		return fmt.Errorf("decode the data of page %s: %w", page, err)
	}
	var out bytes.Buffer
	if err := p.templates.ExecuteTemplate(&out, page, plain); err != nil {
		return fmt.Errorf("render page %s: %w", page, err)
	}
	_, err = out.WriteTo(w)
	return err
}

// functions are what templates call.
func (p *Pages) functions() template.FuncMap {
	return template.FuncMap{
		"static":  func(name string) string { return "/static/" + p.hash + "/" + name },
		"wires":   wires,
		"boxes":   boxes,
		"asked":   asked,
		"plate":   plate,
		"dial":    dial,
		"unsaid":  unsaid,
		"round":   round,
		"clock":   clock,
		"day":     day,
		"ratio":   ratio,
		"scale":   scale,
		"guessed": guessed,
		"tight":   tight,
		"about":   about,
		"missed":  missed,
	}
}
