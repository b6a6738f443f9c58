package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pooler-lab/internal/testkit"
)

// crosscheck runs scripts/crosscheck in a folder of its own, beside a lab whose parts end with that status, and returns
// how often the lab was asked and the exit status.
func crosscheck(t *testing.T, status string) (parts, exit int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "scripts", "crosscheck"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	scripts, asked := filepath.Join(folder, "scripts"), filepath.Join(folder, "asked")
	if err := os.Mkdir(scripts, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]string{
		"crosscheck": string(text),
		"setting":    "#!/bin/sh\necho lab\n",
		"docker":     "#!/bin/sh\necho 1\n",
		"lab":        "#!/bin/sh\necho \"$*\" >>'" + asked + "'\nexit " + status + "\n",
	} {
		if err := os.WriteFile(filepath.Join(scripts, name), []byte(code), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), "bash", filepath.Join(scripts, "crosscheck"))
	c.Env = append(os.Environ(), "PATH="+scripts+":"+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	t.Logf("%s: %s", status, out)
	list, err := os.ReadFile(asked)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(list), "\n"), c.ProcessState.ExitCode()
}

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

// An interrupted part is the last one; one that fails isn't.
func TestCrosscheckStatus(t *testing.T) {
	for status, want := range map[string][2]int{"0": {2, 0}, "1": {2, 1}, "2": {2, 2}, "130": {1, 130}} {
		if parts, exit := crosscheck(t, status); [2]int{parts, exit} != want {
			t.Errorf("parts that end with %s: %d were run, the exit status is %d", status, parts, exit)
		}
	}
}
