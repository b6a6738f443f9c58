package result

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"pooler-lab/test/testkit"
)

func TestTheSecondRunIsRefused(t *testing.T) {
	results := t.TempDir()
	first, err := Hold(results, "lesson 00-tour")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Hold(results, "lesson 01-connect")
	want := fmt.Sprintf(`^lesson 00-tour is under way since \d\d:\d\d:\d\d UTC \(process %d\)`, os.Getpid())
	if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
		t.Errorf("the second run gets %v", err)
	}
	first()
	third, err := Hold(results, "lesson 01-connect")
	if err != nil {
		t.Fatalf("after the first has ended: %v", err)
	}
	third()
}

func TestALockOfTheDeadIsNone(t *testing.T) {
	results := t.TempDir()
	of := []byte(`{"pid": 1, "what": "lesson 00-tour"}`)
	if err := os.WriteFile(filepath.Join(results, lockFile), of, 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Cancel(results, &out); err != nil || out.String() != "No lesson is running.\n" {
		t.Errorf("a lock file that nobody holds: %v, %q", err, out.String())
	}
	lock, err := Hold(results, "lesson 01-connect")
	if err != nil {
		t.Fatal(err)
	}
	lock()
}

// TestCancel has a shell hold the lock until it gets SIGINT, as a run does.
func TestCancel(t *testing.T) {
	results := t.TempDir()
	lock := filepath.Join(results, lockFile)
	holder := exec.Command("bash", "-c", `exec 9>"$1"; flock 9
		printf '{"pid": %d, "what": "lesson 00-tour"}' $$ >&9
		trap 'exit 0' INT; while :; do sleep 0.05; done`, "bash", lock)
	if err := holder.Start(); err != nil {
		t.Skipf("no bash here: %v", err)
	}
	defer holder.Wait()
	testkit.Until(t, "the holder holds the lock", func() bool {
		by, running, _ := whoHolds(results)
		return running && by.PID == holder.Process.Pid
	})
	var out bytes.Buffer
	if err := Cancel(results, &out); err != nil {
		t.Error(err)
	}
	if _, running, _ := whoHolds(results); running {
		t.Error("it returned before the run had ended")
	}
}

// Half a progress, which somebody else has left, is none.
func TestHalfAProgress(t *testing.T) {
	results := t.TempDir()
	if err := os.WriteFile(filepath.Join(results, progressFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, ok := LastProgress(results); ok {
		t.Errorf("half a progress: %+v", s)
	}
}
