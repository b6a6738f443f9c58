package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/internal/result"
)

func TestChosen(t *testing.T) {
	results, elsewhere := t.TempDir(), t.TempDir()
	older, last := "20261121T161200Z-00-tour", "20261121T171200Z-00-tour"
	for _, dir := range []string{filepath.Join(results, older), filepath.Join(results, last), elsewhere} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, result.File), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for asked, want := range map[string]string{
		"":                                       last,
		older:                                    older,
		"results/" + older + "/":                 older,
		"/home/someone/lab/results/" + older:     older,
		"/home/x/results/" + older + "/run.json": older,
	} {
		var args []string
		if asked != "" {
			args = []string{asked}
		}
		if got, err := chosen(results, args); err != nil || got != filepath.Join(results, want, result.File) {
			t.Errorf("%q chooses %s, %v", asked, got, err)
		}
	}
	file := filepath.Join(elsewhere, result.File)
	for _, asked := range []string{elsewhere, file} {
		if got, err := chosen(results, []string{asked}); err != nil || got != file {
			t.Errorf("%s, which is elsewhere, chooses %s, %v", asked, got, err)
		}
	}
	if _, err := chosen(results, []string{"tour"}); err == nil ||
		!strings.HasSuffix(err.Error(), "the newest are\n  "+last+"\n  "+older) {
		t.Errorf("an unknown run gives %v", err)
	}
	if _, err := chosen(t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "scripts/run 00-tour") {
		t.Errorf("no runs at all give %v", err)
	}
}
