package source

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What a crosscheck's run comes to is the exit status; one that doesn't come to its end is judged by nobody.
func TestCrosscheckStatus(t *testing.T) {
	for _, test := range []struct{ run, verdict, want int }{{0, 0, 0}, {0, 1, 1}, {0, 2, 2}, {1, 0, 1}, {130, 0, 130}} {
		folder := t.TempDir()
		for file, code := range map[string]string{
			"crosscheck": read(t, filepath.Join(root, "scripts", "crosscheck")),
			"lab": fmt.Sprintf("lab() { case $1 in run) return %d ;; verdict) return %d ;; esac; }\n", test.run, test.verdict) +
				`if [ "$0" = "${BASH_SOURCE[0]}" ]; then lab "$@"; fi`,
		} {
			if err := os.WriteFile(filepath.Join(folder, file), []byte("#!/usr/bin/env bash\n"+code+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		c := exec.CommandContext(t.Context(), "bash", filepath.Join(folder, "crosscheck"))
		if out, err := c.CombinedOutput(); c.ProcessState.ExitCode() != test.want {
			t.Errorf("%+v: %v\n%s", test, err, out)
		}
	}
}
