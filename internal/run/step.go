package run

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"pooler-lab/internal/result"
)

// stepFile is within results/: how far the run under way is, whoever started it.
const stepFile = ".step"

// A Step is how far a run is, for programs that watch it: 'lab run --steps' writes one as a line of JSON whenever
// something changes, and each second. LastStep reads the last one of any run.
type Step struct {
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
	Pair *PairStep `json:"pair,omitempty"`
}

// steps writes what a progress tells as Steps.
type steps struct{ encode *json.Encoder }

func newSteps(out io.Writer) *steps { return &steps{json.NewEncoder(out)} }

// Write drops what is meant for people: they see the steps in another way.
func (s *steps) Write(text []byte) (int, error) { return len(text), nil }

// step writes how far the progress is. Nobody who reads it any more is no reason to stop measuring.
func (p *progress) step() {
	if p.run == "" || p.steps == nil && p.results == "" { // before its folder is there, nobody can ask for it
		return
	}
	s := Step{Run: p.run, Phase: p.phase, Block: p.block, Blocks: p.blocks, Done: p.done, Of: p.total, Failed: p.failed,
		SecondsLeft: int(max(0, p.countdown()).Round(time.Second).Seconds())}
	if p.running {
		s.Cell = p.name()
	}
	if p.pair != nil && p.pair.seen {
		shown := p.pair.PairStep
		s.Pair = &shown
	}
	if p.steps != nil {
		_ = p.steps.encode.Encode(s)
	}
	if p.results != "" {
		_ = s.write(p.results)
	}
}

// follow begins to tell of the run of that name in results, until the returned function is called.
func (p *progress) follow(results, run string) (over func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.results, p.run, p.phase = results, run, "beginning"
	p.step()
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.results = ""
		_ = os.Remove(filepath.Join(results, stepFile)) // a run that isn't under way any more isn't asked for it
	}
}

// write leaves the step for LastStep, whole or not at all. It doesn't wait for the disk, which is being measured.
func (s Step) write(results string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	file := filepath.Join(results, stepFile)
	if err := os.WriteFile(file+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// LastStep is how far the run under way in results is; not ok where none has said.
func LastStep(results string) (s Step, ok bool) {
	text, err := os.ReadFile(filepath.Join(results, stepFile))
	if err != nil || json.Unmarshal(text, &s) != nil {
		return Step{}, false
	}
	return s, true
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
