package lesson

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"00-tour.js", "01-connect.js", "readme.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"01-connect", "01", "1", "001", "connect", "01-connect.js"} {
		if got, err := Find(dir, name); err != nil || filepath.Base(got) != "01-connect.js" {
			t.Errorf("%q finds %q, %v", name, got, err)
		}
	}
	for name, hint := range map[string]string{"": ".", "2": ".", "02": ".", "-1": ".", "../00-tour": ".",
		"readme.txt": ".", "00-tuor": ", did you mean 00-tour?", "conect": ", did you mean 01-connect?", "xyz": "."} {
		want := hint + " There are:\n  00-tour\n  01-connect"
		if got, err := Find(dir, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q finds %q, %v", name, got, err)
		}
	}
	if got, err := Find("/lab/k6/lessons", "k6/crosscheck.js"); err != nil || got != "/lab/k6/crosscheck.js" {
		t.Errorf("by its path it finds %q, %v", got, err)
	}
}
