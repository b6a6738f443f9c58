package summary

import (
	"time"
)

// The sides of a pair: a comparison is the ratio of the first to the second.
const (
	Of = iota
	To
	Sides // how many there are
)

// SideNames are the sides as plans, tags and scripts call them.
var SideNames = [Sides]string{"of", "to"}

// A Pair is what k6 saw of two cells whose clients alternated: in each slot the clients of one side are at work, and
// part of the slot is counted. Four slots make a group: of, to, to, of or the other way round.
type Pair struct {
	// Sides are the tests of the two cells. Of each, the window is the counted parts of its slots, and its length
	// is their sum. Start and End are those of the first and the last slot.
	Sides [Sides]*Summary `json:"sides"`

	SlotMS float64 `json:"slot_ms"` // counted part of each slot; 0 where it came to none
	// MedianMS is the median time of an iteration of each side, as the calibration before the first group saw it.
	MedianMS [Sides]float64 `json:"median_ms"`
	// HostCPU is the share of the host's CPUs in use, whoever used them, in the counted parts of each side's slots; nil
	// where the kernel doesn't tell.
	HostCPU [Sides]*float64 `json:"host_cpu"`
	// TooSlow says why no slot is long enough: an iteration takes too long. There is no group then.
	TooSlow string `json:"too_slow,omitempty"`
	// Failure says why it ended, where neither its time was over nor the stop file there, nor k6 told to end.
	Failure string `json:"failure,omitempty"`
	Groups  int    `json:"groups"` // that are complete
}

// A Group is what one group of four slots showed: a line of JSON in the file that the runner reads while k6 runs.
type Group struct {
	Number int                `json:"number"` // from 1
	Order  string             `json:"order"`  // of its slots: ABBA or BAAB, A is the first side
	Start  time.Time          `json:"start"`
	End    time.Time          `json:"end"`
	Sides  [Sides]GroupFigure `json:"sides"`
}

// A GroupFigure is what the counted parts of one side's two slots showed.
type GroupFigure struct {
	Seconds  float64            `json:"seconds"`
	Counters map[string]float64 `json:"counters"` // sums by metric
	Trends   map[string]Trend   `json:"trends"`   // by metric
}

// Write writes the summary of a pair to a file, whole or not at all.
func (p *Pair) Write(file string) error { return write(file, p) }

// ReadPair reads the summary of a pair in a file.
func ReadPair(file string) (*Pair, error) { return read[Pair](file) }
