package summary

import (
	"time"
)

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
