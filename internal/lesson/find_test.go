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
	for _, name := range []string{"", "2", "02", "-1", "../00-tour", "readme.txt"} {
		if got, err := Find(dir, name); err == nil || !strings.Contains(err.Error(), "00-tour\n  01-connect") {
			t.Errorf("%q finds %q, %v", name, got, err)
		}
	}
}

func TestFindByPath(t *testing.T) {
	if got, err := Find("/lab/k6/lessons", "k6/crosscheck.js"); err != nil || got != "/lab/k6/crosscheck.js" {
		t.Errorf("it finds %q, %v", got, err)
	}
}

func TestFindSuggests(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"00-tour.js", "01-connect.js"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"00-tuor": "did you mean 00-tour? There are:",
		"conect": "did you mean 01-connect? There are:", "xyz": `"xyz". There are:`} {
		if _, err := Find(dir, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, it should hold %q", name, err, want)
		}
	}
}
