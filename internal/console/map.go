package console

import (
	"slices"
	"strings"
)

// A drawnMap is what stands on the lab's picture. The template draws the first one; the browser is told each later one
// and puts its texts and classes in the same places.
type drawnMap struct {
	Links []plate `json:"links"`
	Boxes []box   `json:"boxes"`
	Note  string  `json:"note"` // what the picture has no place for
}

// A plate bears a link's name and figures.
type plate struct {
	wire     `json:"-"`
	Name     string `json:"name"`
	Measured string `json:"measured"` // the round trip, or in a word why there is none
	Set      string `json:"set"`
	Label    string `json:"label"` // for a screen reader
	Hint     string `json:"hint"`
	Class    string `json:"class"` // how it is drawn, as CSS classes
}

// A box is a node.
type box struct {
	place `json:"-"`
	Kind  string `json:"-"` // client, pooler or database
	Name  string `json:"name"`
	Role  string `json:"role"` // "" where the name says it
	State string `json:"state"`
	Lines []line `json:"lines"`
}

// A line is one of a box: text behind a large number, or a bar.
type line struct {
	Number string `json:"number"`
	Text   string `json:"text"`
	Bar    *bar   `json:"bar"`   // in its place, nil for text
	Alert  bool   `json:"alert"` // clients wait
}

// A bar says how much of something is in use.
type bar struct {
	Used int `json:"used"`
	Of   int `json:"of"`
}

// drawMap draws the state.
func drawMap(s State) drawnMap {
	m := drawnMap{Links: []plate{}, Boxes: make([]box, len(places))}
	for _, w := range wires {
		i := slices.IndexFunc(s.Links, func(l Link) bool { return l.Name == w.Link })
		if i >= 0 {
			m.Links = append(m.Links, plateOf(s.Links[i], w, s.Load))
		}
	}
	for i, p := range places {
		m.Boxes[i] = boxOf(p, s)
	}
	m.Note = mapNote(s)
	return m
}

// mapNote names the links that are on and that the picture has no place for, or says that nothing is known of any.
func mapNote(s State) string {
	if !s.Toxiproxy.Up && s.Toxiproxy.Reason != "" {
		return "toxiproxy doesn't answer, so no link can be set or measured: " + s.Toxiproxy.Reason
	}
	var all []string
	for _, l := range s.Links {
		if l.Off == "" && !slices.ContainsFunc(wires, func(w wire) bool { return w.Link == l.Name }) {
			all = append(all, l.Name+": "+setting(l)+", "+measured(l))
		}
	}
	return strings.Join(all, " · ")
}

// classOf is how a link is drawn.
func classOf(l Link, load Load) string {
	var classes []string
	for _, c := range []struct {
		name string
		is   bool
	}{
		{"slow", l.Known && l.LatencyMS > 0 && !l.Cut},
		{"cut", l.Cut},
		{"off", l.Off != ""},
		{"busy", busy(l, load)},
		{"words", measured(l) == notMeasured},
	} {
		if c.is {
			classes = append(classes, c.name)
		}
	}
	return strings.Join(classes, " ")
}

// busy says whether the live load goes over the link.
func busy(l Link, load Load) bool {
	if load.State != LoadRunning && load.State != LoadStarting {
		return false
	}
	return slices.ContainsFunc(load.Paths, func(path string) bool { return slices.Contains(l.UsedBy, path) })
}
