// Package result is the folder results/: run.json, which each run leaves there (docs/run.schema.json), and meanwhile
// who holds the folder and how far the run is.
package result

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pooler-lab/internal/lesson"
)

// Version of run.json's schema. It grows with a change that an older reader would misread.
const Version = 3

// File is the name of a run's document within its folder.
const File = "run.json"

// A Status says how far a run, a cell or a repeat came.
type Status string

// A run is Running until its last cell is written, then Finished, Interrupted or Failed: a reader who finds Running in
// a folder that nobody works on takes it for Interrupted. A cell starts Planned. A repeat is Rejected where someone
// changed what it was measured under, other machines took the CPU, or a burst of work that wasn't its own used up a CPU
// limit; its figures are kept and count for nothing.
const (
	Running     Status = "running"
	Finished    Status = "finished"
	Interrupted Status = "interrupted"
	Failed      Status = "failed"
	Planned     Status = "planned"
	OK          Status = "ok"
	Rejected    Status = "rejected"
)

// A Run is one execution of a lesson.
type Run struct {
	Version     int        `json:"version"`
	ID          string     `json:"id"` // name of its folder
	Status      Status     `json:"status"`
	Reason      string     `json:"reason,omitempty"` // why it is not finished
	Started     time.Time  `json:"started"`
	Ended       *time.Time `json:"ended,omitempty"`
	Seed        uint64     `json:"seed"`   // of the order within each block
	Blocks      int        `json:"blocks"` // pairs first, then blocks of one repeat of every cell that has repeats left
	Lesson      Lesson     `json:"lesson"`
	Manifest    Manifest   `json:"manifest"`
	Paths       []Path     `json:"paths"` // those the lesson asked for, in the order of configs/paths.yaml
	Cells       []Cell     `json:"cells"`
	Pairs       []Pair     `json:"pairs,omitempty"`        // cells measured side by side, in the order in which they ran
	Unpaired    []Unpaired `json:"unpaired,omitempty"`     // comparisons whose cells can't be, and why
	NotRestored string     `json:"not_restored,omitempty"` // why latencies or settings could not be put back
	Unfinished  int        `json:"unfinished"`             // repeats that were planned and did not end by themselves
}

// A Lesson is the question that the run answers.
type Lesson struct {
	lesson.About
	Full        bool            `json:"full,omitempty"` // the run had the lesson's full size
	Override    lesson.Override `json:"override"`       // what the command line said in its place
	Experiments []Experiment    `json:"experiments"`    // those that the run measured
}

// An Experiment is one of the lesson's, of which the run has cells.
type Experiment struct {
	Name string `json:"name"`
	Text string `json:"text,omitempty"` // what it asks
	Side bool   `json:"side,omitempty"` // it isn't the lesson's main idea
	// Changed are the dimensions in which the command line made its cells others, and the values that the lesson has.
	Changed map[string][]string `json:"changed,omitempty"`
}

// A Path is one of configs/paths.yaml that the lesson asked for.
type Path struct {
	Name        string `json:"name"`
	Meaning     string `json:"meaning"`
	Database    string `json:"database"`
	Unavailable string `json:"unavailable,omitempty"` // why none of its cells ran
	// Latencies are those at which the lesson asked for it.
	Latencies []lesson.Value `json:"latencies_ms,omitempty"`
	// Services are those that it goes through, in the order of travel, toxiproxy left out; where it balances, all
	// after the first stand side by side.
	Services []string `json:"services,omitempty"`
	Balances bool     `json:"balances,omitempty"`
}

// A Cell is one path x latency x workload x client count x protocol, and all its repeats.
type Cell struct {
	lesson.Cell
	Status  Status   `json:"status"`
	Reason  string   `json:"reason,omitempty"` // of its last repeat, where that failed
	Repeats []Repeat `json:"repeats"`
}

// Add notes what became of another repeat. A cell is ok once one of its repeats is, and keeps the reason of the
// last one that wasn't.
func (c *Cell) Add(r Repeat) {
	c.Repeats = append(c.Repeats, r)
	switch {
	case r.Status == OK:
		c.Status = OK
		if r.Attempt > 1 {
			c.Reason = "" // of the attempt before
		}
	case r.Status == Interrupted:
	default:
		c.Reason = r.Reason
		if c.Status != OK {
			c.Status = Failed
		}
	}
}

// Last returns the cell's last repeat that counts, nil where none does.
func (c *Cell) Last() *Repeat {
	for i := len(c.Repeats) - 1; i >= 0; i-- {
		if c.Repeats[i].Status == OK {
			return &c.Repeats[i]
		}
	}
	return nil
}

// Opens says whether each iteration of the cell's clients opens a connection and closes it.
func (c *Cell) Opens() bool {
	return slices.ContainsFunc(c.Repeats, func(r Repeat) bool {
		return r.Measured != nil && r.Measured.Counters["pg_opening_iterations"] > 0
	})
}

// Flags are the kinds of the flags of the cell's repeats that count, each once, sorted.
func (c *Cell) Flags() []FlagKind {
	var kinds []FlagKind
	for _, r := range c.Repeats {
		for _, f := range r.Flags {
			if r.Status == OK {
				kinds = append(kinds, f.Kind)
			}
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// Left is how many of the cell's repeats were planned and have not ended by themselves.
func (c *Cell) Left() int {
	ended := map[int]bool{}
	for _, repeat := range c.Repeats {
		if repeat.Status != Interrupted {
			ended[repeat.Block] = true
		}
	}
	return c.Wanted - len(ended)
}

// Left is how many repeats were planned and have not ended by themselves.
func (r *Run) Left() int {
	left := 0
	for i := range r.Cells {
		left += r.Cells[i].Left()
	}
	return left
}

// Unended says how a run ended that did not do all that was planned, and in words why and how much of it is missing;
// not ok where it did all.
func (r *Run) Unended() (status Status, why string, ok bool) {
	switch {
	case r.Status == Finished:
		return r.Status, "", false
	case r.Status == Running:
		return Interrupted, "the run never ended, or hasn't yet; " + r.missing(), true
	case r.Reason == "":
		return r.Status, r.missing(), true
	}
	return r.Status, r.Reason + "; " + r.missing(), true
}

// missing says how many of the planned repeats did not end by themselves, and what stands in tables for their figures.
func (r *Run) missing() string {
	wanted := 0
	for _, c := range r.Cells {
		wanted += c.Wanted
	}
	return fmt.Sprintf("%d of %d repeats are missing; - is a figure that no repeat gave", r.Unfinished, wanted)
}

// Reconciled says in a sentence how often the programs that clients are in and the servers counted the same
// transactions, as far as each can know, of the repeats in which nothing failed; empty where there is none.
func (r *Run) Reconciled() string {
	agree, differ, unread := 0, 0, 0
	var drivers []string
	for _, c := range r.Cells {
		if by := c.DrivenBy(); !slices.Contains(drivers, by) {
			drivers = append(drivers, by)
		}
		for _, repeat := range c.Repeats {
			switch {
			case repeat.Status != OK || repeat.Flagged(FlagErrors):
			case repeat.Flagged(FlagUncounted):
				unread++
			case repeat.Flagged(FlagCounts):
				differ++
			case len(repeat.Counts) > 0: // else nobody counts on this path
				agree++
			}
		}
	}
	if agree+differ+unread == 0 {
		return ""
	}
	text := fmt.Sprintf("%s and the servers agree on the transactions of %d of %d repeats without errors",
		strings.Join(drivers, ", "), agree, agree+differ+unread)
	if unread > 0 {
		text += fmt.Sprintf(", and of %d the servers could not be asked", unread)
	}
	return text
}
