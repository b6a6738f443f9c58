package source

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"pooler-lab/internal/testkit"
)

// A signal to a script that calls another one reaches what that has started, and the script ends after it.
func TestSignalsReachTheLab(t *testing.T) {
	for _, name := range []string{"crosscheck"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			scripts, started, ended := filepath.Join(folder, "scripts"), filepath.Join(folder, "started"),
				filepath.Join(folder, "ended")
			if err := os.Mkdir(scripts, 0o755); err != nil {
				t.Fatal(err)
			}
			for file, code := range map[string]string{
				name:      read(t, filepath.Join(root, "scripts", name)),
				"setting": "echo lab",
				"docker":  "echo 1",
				"up":      "",
				"lab": "trap ': >\"" + ended + "\"; exit 130' TERM\n: >'" + started + "'\n" +
					"while :; do sleep 0.02; done",
			} {
				if err := os.WriteFile(filepath.Join(scripts, file), []byte("#!/usr/bin/env bash\n"+code+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			c := exec.CommandContext(t.Context(), "bash", filepath.Join(scripts, name))
			c.Env = append(os.Environ(), "PATH="+scripts+":"+os.Getenv("PATH"))
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			testkit.Until(t, "the lab is called", func() bool { return exists(started) })
			if err := c.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if _ = c.Wait(); !exists(ended) || c.ProcessState.ExitCode() != 130 {
				t.Errorf("it ends with %v, and the lab has ended: %v", c.ProcessState, exists(ended))
			}
		})
	}
}

// What a crosscheck's run comes to is the exit status; one that doesn't come to its end is judged by nobody.
func TestCrosscheckStatus(t *testing.T) {
	for _, test := range []struct{ run, verdict, want int }{{0, 0, 0}, {0, 1, 1}, {0, 2, 2}, {1, 0, 1}, {130, 0, 130}} {
		folder := t.TempDir()
		for file, code := range map[string]string{
			"crosscheck": read(t, filepath.Join(root, "scripts", "crosscheck")),
			"lab":        fmt.Sprintf("case $1 in run) exit %d ;; verdict) exit %d ;; esac", test.run, test.verdict),
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
