package run

import (
	"encoding/json"
	"io"
	"time"

	"pooler-lab/internal/result"
)

// A Step is how far a run is, for programs that watch it: 'lab run --steps' writes one as a line of JSON whenever
// something changes, and each second.
type Step struct {
	Run         string `json:"run"` // its folder's name
	Cell        string `json:"cell"`
	Phase       string `json:"phase"`
	Block       int    `json:"block"`
	Blocks      int    `json:"blocks"`
	Done        int    `json:"done"` // repeats
	Of          int    `json:"of"`
	SecondsLeft int    `json:"seconds_left"`
	Failed      int    `json:"failed"` // cells
}

// steps writes what a progress tells as Steps.
type steps struct{ encode *json.Encoder }

func newSteps(out io.Writer) *steps { return &steps{json.NewEncoder(out)} }

// Write drops what is meant for people: they see the steps in another way.
func (s *steps) Write(text []byte) (int, error) { return len(text), nil }

// step writes how far the progress is. Nobody who reads it any more is no reason to stop measuring.
func (p *progress) step() {
	if p.steps == nil {
		return
	}
	s := Step{Run: p.run, Phase: p.phase, Block: p.block, Blocks: p.blocks, Done: p.done, Of: p.total, Failed: p.failed,
		SecondsLeft: int(max(0, p.countdown()).Round(time.Second).Seconds())}
	if p.running {
		s.Cell = what(p.cell)
	}
	_ = p.steps.encode.Encode(s)
}

// follow begins to tell of the run of that name.
func (p *progress) follow(run string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.run, p.phase = run, "beginning"
	p.step()
}

// counts notes how many cells have failed.
func (p *progress) counts(cells []result.Cell) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = 0
	for _, c := range cells {
		if c.Status == result.Failed {
			p.failed++
		}
	}
}
