package shared

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWriteFileIsWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "run.json")
	for _, text := range []string{"first", "second"} {
		if err := WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(name); string(got) != text {
			t.Errorf("%q was written, %q is there", text, got)
		}
	}
	if err := WriteFile(filepath.Join(dir, "nowhere", "run.json"), nil); err == nil {
		t.Error("written into a folder that doesn't exist")
	}
	// A folder can't be replaced by a file: the write fails at its last step and leaves nothing behind.
	if err := os.MkdirAll(filepath.Join(dir, "folder", "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "folder"), []byte("text")); err == nil {
		t.Error("a folder was replaced")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
