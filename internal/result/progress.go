package result

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"pooler-lab/internal/shared"
)

// progressFile is within results/: how far the run under way is, whoever started it.
const progressFile = ".step"

// A Progress is how far a run is, for programs that watch it: a run leaves one in results/ whenever something changes,
// and each second. LastProgress reads it.
type Progress struct {
	Run         string `json:"run"` // its folder's name
	Cell        string `json:"cell"`
	Phase       string `json:"phase"`
	Block       int    `json:"block"`
	Blocks      int    `json:"blocks"`
	Done        int    `json:"done"` // pairs, and repeats of cells that no pair has
	Of          int    `json:"of"`
	SecondsLeft int    `json:"seconds_left"`
	Failed      int    `json:"failed"` // cells
	// Pair is what the groups of the pair under way show, null where none is or none is complete.
	Pair *PairProgress `json:"pair,omitempty"`
}

// A PairProgress is how far a pair is: its interval closes until half its width is what was asked for.
type PairProgress struct {
	Groups int     `json:"groups"`
	Ratio  float64 `json:"ratio"`
	Lo     float64 `json:"lo,omitempty"` // of the ratio's interval, once there are enough groups
	Hi     float64 `json:"hi,omitempty"`
	Until  float64 `json:"until"` // share of the ratio
	// Unsteady says that the pair drifts: so far it has no group that counts.
	Unsteady bool `json:"unsteady,omitempty"`
}

// String is what people read of it: 24 groups, ratio 0.81 (0.78 to 0.85), until 5 %.
func (s PairProgress) String() string {
	text := fmt.Sprintf("%d groups, ratio %.3g", s.Groups, s.Ratio)
	switch {
	case s.Unsteady:
		return text + ", not steady yet"
	case s.Hi > 0:
		text += fmt.Sprintf(" (%.3g to %.3g)", s.Lo, s.Hi)
	}
	return fmt.Sprintf("%s, until %.3g %%", text, 100*s.Until)
}

// Write leaves it in results for LastProgress, whole or not at all. It doesn't wait for the disk, which is being
// measured, and that it can't is no reason to stop measuring.
func (s Progress) Write(results string) {
	file := filepath.Join(results, progressFile)
	if text, err := json.Marshal(s); err == nil {
		_ = shared.Replace(file, text)
	}
}

// RemoveProgress takes it away once its run has ended: it isn't asked for any more.
func RemoveProgress(results string) { _ = os.Remove(filepath.Join(results, progressFile)) }

// LastProgress is how far the run under way in results is; not ok where none has said.
func LastProgress(results string) (s Progress, ok bool) {
	text, err := os.ReadFile(filepath.Join(results, progressFile))
	if err != nil || json.Unmarshal(text, &s) != nil {
		return Progress{}, false
	}
	return s, true
}
