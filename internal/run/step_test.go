package run

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"pooler-lab/internal/lesson"
)

// A run that people watch in a terminal leaves its last step for who watches elsewhere, and takes it away at its end.
func TestRunLeavesItsLastStep(t *testing.T) {
	results := t.TempDir()
	if s, ok := LastStep(results); ok {
		t.Errorf("before any run: %+v", s)
	}
	cells := []lesson.Cell{{Wanted: 3}}
	p := newProgress(io.Discard, 3, cells, func(lesson.Cell) kind { return quick })
	over := p.follow(results, "20261121T220000Z-00-tour")
	p.starting(1, cells[0])
	s, ok := LastStep(results)
	if !ok || s.Run != "20261121T220000Z-00-tour" || s.Of != 3 || s.Done != 0 || s.Block != 1 || s.Phase != "proving" {
		t.Errorf("%+v, %v", s, ok)
	}
	over()
	p.draw()
	if s, ok := LastStep(results); ok {
		t.Errorf("after the run: %+v", s)
	}
	if err := os.WriteFile(filepath.Join(results, stepFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, ok := LastStep(results); ok {
		t.Errorf("half a step: %+v", s)
	}
}
