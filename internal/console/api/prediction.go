package api

import "time"

// A Prediction is what somebody said before a run: the request has it, and the run's folder keeps it. All of it may be
// left out.
type Prediction struct {
	Words       string             `json:"words"`
	Path        string             `json:"path"` // that wins
	Factor      *float64           `json:"factor"`
	Comparisons map[string]float64 `json:"comparisons"` // ratios, by the comparison's name
	At          time.Time          `json:"at"`
}
