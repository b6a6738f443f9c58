package console

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// standInProgram writes a script that poses as k6 or as the lab's own program, and returns where it is. It notes the
// signals that it gets, one a line, in the file returned beside it, and its arguments first.
func standInProgram(t *testing.T, name, body string) (program, notes string) {
	t.Helper()
	dir := t.TempDir()
	program, notes = filepath.Join(dir, name), filepath.Join(dir, "notes")
	script := "#!/bin/sh\nnote() { echo \"$*\" >>'" + notes + "'; }\nnote \"$@\"\n" + body
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return program, notes
}

// noted are the lines that a stand-in has written.
func noted(t *testing.T, notes string) []string {
	t.Helper()
	text, err := os.ReadFile(notes)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}
