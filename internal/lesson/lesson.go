// Package lesson reads what a k6 lesson asks (options.ext.lab) and spreads it out into cells.
package lesson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Limits of what a lesson or the command line may ask for: beyond them it is a typing error.
const (
	maxClients   = 10000
	maxSeconds   = 3600
	maxRepeats   = 1000
	maxRate      = 1_000_000
	maxLatencyMS = 60000
	minScenario  = 1 // seconds that k6 wants a warm-up and its window to take together
)

// A Lesson is a question and the groups of cells that answer it.
type Lesson struct {
	Name        string  `json:"lesson"`
	Title       string  `json:"title"`
	Question    string  `json:"question"`
	Explanation string  `json:"explanation"`
	Minutes     float64 `json:"minutes"` // about how long it takes with its default cells
	Groups      []Group `json:"groups"`
	// Headlines are the comparisons that the lesson claims, as the lesson wrote them.
	Headlines json.RawMessage `json:"headlines"`

	File   string `json:"-"` // where the script is
	SHA256 string `json:"-"` // of the script's text, in hex
}

// A Group is a set of cells that differ in path, latency, workload, clients or protocol and share the rest.
type Group struct {
	Name      string    `json:"name"`
	Workload  Words     `json:"workload"`
	Paths     []string  `json:"paths"` // "*" is every path
	Latencies []Latency `json:"latencies"`
	Clients   []int     `json:"clients"`
	Protocol  Words     `json:"protocol"` // prepared where none is given
	// Link is the link under study; without one it is the first that configs/paths.yaml gives for the path.
	Link string `json:"link"`
	// Rate is transactions per second over all clients; 0 is a closed loop.
	Rate    float64 `json:"rate"`
	Seconds float64 `json:"seconds"` // length of the measured window
	Warmup  float64 `json:"warmup_seconds"`
	Repeats int     `json:"repeats"` // 1 where none is given
	// FillPools has every child of a Pgpool-II open its backends before the cell, so that a workload that
	// connects over and over finds a pool in use and not one just started.
	FillPools bool `json:"fill_pools"`
}

// parse reads options.ext.lab out of what `k6 inspect` printed.
func parse(inspected []byte) (*Lesson, error) {
	var options struct {
		Ext map[string]json.RawMessage `json:"ext"`
	}
	if err := json.Unmarshal(inspected, &options); err != nil {
		return nil, fmt.Errorf("read what k6 inspect printed: %w", err)
	}
	raw, ok := options.Ext["lab"]
	if !ok {
		return nil, errors.New("it has no options.ext.lab: that is where a lesson holds its question and its cells")
	}
	l := new(Lesson)
	if err := strictly(raw, l); err != nil {
		return nil, fmt.Errorf("read options.ext.lab: %w", err)
	}
	for i := range l.Groups {
		l.Groups[i].fill()
	}
	return l, l.validate()
}

// strictly decodes raw into v and refuses fields that v doesn't have, since those are typing errors.
func strictly(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the end of it")
	}
	return nil
}

func (g *Group) fill() {
	if len(g.Protocol) == 0 {
		g.Protocol = Words{"prepared"}
	}
	if g.Repeats == 0 {
		g.Repeats = 1
	}
}

func (l *Lesson) validate() error {
	if l.Name == "" || l.Title == "" || l.Question == "" {
		return errors.New("options.ext.lab needs a lesson, a title and a question")
	}
	if len(l.Groups) == 0 {
		return errors.New("options.ext.lab has no groups, so there is nothing to measure")
	}
	var names []string
	for _, g := range l.Groups {
		if slices.Contains(names, g.Name) {
			return fmt.Errorf("two groups are called %q", g.Name)
		}
		names = append(names, g.Name)
		if err := g.validate(); err != nil {
			return fmt.Errorf("group %q: %w", g.Name, err)
		}
	}
	return nil
}

func (g *Group) validate() error {
	switch {
	case !plainName(g.Name):
		return errors.New("name must be lower-case letters, digits and hyphens")
	case len(g.Workload) == 0, len(g.Paths) == 0, len(g.Latencies) == 0, len(g.Clients) == 0:
		return errors.New("workload, paths, latencies and clients each need a value")
	case !within(g.Rate, 0, maxRate):
		return fmt.Errorf("rate is %v per second, allowed are 0 (closed loop) to %d", g.Rate, maxRate)
	case !within(g.Seconds, 0, maxSeconds) || g.Seconds == 0:
		return fmt.Errorf("seconds is %v, allowed are more than 0 and at most %d", g.Seconds, maxSeconds)
	case !within(g.Warmup, 0, maxSeconds):
		return fmt.Errorf("warmup_seconds is %v, allowed are 0 to %d", g.Warmup, maxSeconds)
	case g.Seconds+g.Warmup < minScenario:
		return fmt.Errorf("seconds and warmup_seconds are %v together, k6 wants %d at least", g.Seconds+g.Warmup, minScenario)
	case g.Repeats < 1 || g.Repeats > maxRepeats:
		return fmt.Errorf("repeats is %d, allowed are 1 to %d", g.Repeats, maxRepeats)
	}
	for _, n := range g.Clients {
		if n < 1 || n > maxClients {
			return fmt.Errorf("clients is %d, allowed are 1 to %d", n, maxClients)
		}
	}
	for _, p := range g.Protocol {
		if !slices.Contains(protocols, p) {
			return fmt.Errorf("protocol is %q, allowed are %v", p, protocols)
		}
	}
	return nil
}

// within says whether v lies between two limits or on one; what isn't a number doesn't.
func within(v, least, most float64) bool { return v >= least && v <= most }

// protocols are the ways in which k6/x/pg can send a statement.
var protocols = []string{"simple", "extended", "prepared"}

// plainName says whether s can be part of a cell's id and so of a file's name.
func plainName(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return s != ""
}
