package source

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"pooler-lab/test/testkit"
)

var (
	blanks  = regexp.MustCompile(` +`)
	seconds = regexp.MustCompile(` \d+ s\b`)
)

// step runs scripts/step with a shell's commands, and returns what it said and its exit status.
func step(t *testing.T, commands string, options ...string) (said string, status int) {
	t.Helper()
	args := append(options, "bake", "a cake", "sh", "-c", commands)
	c := exec.CommandContext(t.Context(), filepath.Join(root, "scripts", "step"), args...)
	c.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	text, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return string(text), c.ProcessState.ExitCode()
}

func TestStep(t *testing.T) {
	const images = `echo '#7 naming to docker.io/library/some-image done'
		echo '#9 naming to docker.io/library/other-image done'
		echo '#9 naming to docker.io/library/other-image done'`
	cases := []struct {
		name, commands string
		options        []string
		status         int
		says, hides    string // lines; blanks count as one
	}{
		{"what goes well is a line", "echo flour; echo eggs >&2", nil, 0, "bake: a cake", "flour\neggs"},
		{"verbose", "echo flour; echo eggs >&2", []string{"--verbose"}, 0, "bake: a cake\nflour\neggs", ""},
		{"a failure shows the log's end", "seq 1 100; exit 3", nil, 3, "| 81\n| 100\nbake: failed after N s; all", "| 80"},
		{"a verbose failure shows it once", "echo burnt; exit 1", []string{"--verbose"}, 1, "burnt\nbake: failed", "| burnt"},
		{"a line an image", images, []string{"--images"}, 0, "some-image N s\nother-image N s", "naming"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			said, status := step(t, c.commands, c.options...)
			said = seconds.ReplaceAllString(blanks.ReplaceAllString(said, " "), " N s")
			if status != c.status {
				t.Errorf("exit status %d, wanted %d", status, c.status)
			}
			for line := range strings.SplitSeq(c.says, "\n") {
				if strings.Count(said, line) != 1 {
					t.Errorf("%q stands there %d times, wanted once", line, strings.Count(said, line))
				}
			}
			for line := range strings.SplitSeq(c.hides, "\n") {
				if line != "" && strings.Contains(said, line) {
					t.Errorf("%q shows", line)
				}
			}
			if t.Failed() {
				t.Log(said)
			}
		})
	}
}

// Ctrl-C ends a step, what it runs, and the script around it, though that has a way out of a step that failed.
func TestStepInterrupted(t *testing.T) {
	if signal.Ignored(os.Interrupt) {
		t.Skip("this test's own parent ignores SIGINT, and so does all that it starts")
	}
	for _, option := range []string{"", "--verbose"} {
		began, told := filepath.Join(t.TempDir(), "began"), filepath.Join(t.TempDir(), "told")
		command := `trap 'touch "$2"; exit 1' INT; touch "$1"; bash -c 'sleep 3600' & wait`
		script := `if "$0" ` + option + ` bake "a cake" bash -c "$1" bash "$2" "$3"; then :; fi; echo it went on`
		ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
		defer cancel()
		c := exec.CommandContext(ctx, "bash", "-c", script, filepath.Join(root, "scripts", "step"),
			command, began, told)
		c.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a terminal sends its SIGINT to the group
		var said strings.Builder
		c.Stdout, c.Stderr = &said, &said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		testkit.Until(t, "its command has begun", func() bool { return exists(began) })
		if err := syscall.Kill(-c.Process.Pid, syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		err := c.Wait()
		if ctx.Err() != nil {
			t.Fatalf("with %q it has not ended after %v", option, testkit.Patience)
		}
		if err == nil || strings.Contains(said.String(), "went on") || !exists(told) {
			t.Errorf("with %q it ended with %v; its command was told: %v\n%s", option, err, exists(told), said.String())
		}
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
