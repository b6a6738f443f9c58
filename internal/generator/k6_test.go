package generator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pooler-lab/test/testkit"
)

func TestK6SeesNothingItShouldNot(t *testing.T) {
	got := Environment([]string{"PATH=/bin", "K6_VUS=9", "K6_DURATION=1h", "LAB_PASSWORD=secret", "APP_PASSWORD=secret",
		"LAB_CELL={}", "LAB_TRIAL={}", "LAB_TRIAL_PASSWORDS=[]", "LAB_SCALE=10", "HOME=/root"})
	want := []string{"K6_NO_USAGE_REPORT=true", "K6_AUTO_EXTENSION_RESOLUTION=false", "HOME=" + os.TempDir(),
		"PATH=/bin", "LAB_SCALE=10"}
	if !slices.Equal(got, want) {
		t.Errorf("k6's environment is %v", got)
	}
}

// standIn writes a program in place of k6, which says what it was started with and then does what code says.
func standIn(t *testing.T, code string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "k6")
	text := "#!/usr/bin/env bash\necho \"$*, cell $LAB_CELL, password $PGPASSWORD\"\n" + code
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestGarbage(t *testing.T) {
	t.Setenv("GOGC", "")
	for _, test := range []struct{ clients, want int }{{1, 400}, {250, 400}, {500, 200}, {1000, 100}, {2000, 25},
		{3000, 11}, {4000, 10}, {10000, 10}} {
		k6 := Order{Clients: test.clients}.command()
		if want := fmt.Sprintf("GOGC=%d", test.want); !slices.Contains(k6.Env, want) {
			t.Errorf("%d clients don't have %s", test.clients, want)
		}
	}
	set := func(e string) bool { return strings.HasPrefix(e, "GOGC=") && e != "GOGC=" }
	if k6 := (Order{}).command(); slices.ContainsFunc(k6.Env, set) {
		t.Error("without clients Go isn't left alone")
	}
}

func TestRun(t *testing.T) {
	var out, log strings.Builder
	end, err := Order{Program: standIn(t, "echo broken >&2; exit 107"), Script: "x.js", Output: "lab=y.json",
		Env: []string{"LAB_CELL={}"}, Password: "secret", Stdout: &out, Stderr: &log}.run(t.Context())
	if err != nil || end.Exit != 107 || log.String() != "broken\n" || end.Ended.Before(end.Started) || end.Memory == 0 {
		t.Errorf("%+v, %v: %s", end, err, log.String())
	}
	want := "run --quiet --no-color --summary-mode disabled --no-thresholds --out lab=y.json x.js, " +
		"cell {}, password secret\n"
	if out.String() != want {
		t.Errorf("k6 was started with %q, not %q", out.String(), want)
	}
}

func TestRunThatCannotStart(t *testing.T) {
	_, err := Start(Order{Program: "no-such-program"})
	if err == nil || !strings.HasPrefix(err.Error(), "start k6: ") {
		t.Errorf("the error is %v", err)
	}
}

// A k6 that is stopped gets one SIGINT, and what doesn't end within its grace is killed with all its children.
func TestStop(t *testing.T) {
	for name, test := range map[string]struct {
		code  string
		grace time.Duration
		exit  int
	}{
		"it listens": {`trap 'echo SIGINT; exit 105' INT; echo ready; while :; do sleep 0.02; done`, time.Minute, 105},
		"it goes on": {`trap : INT; echo ready; while :; do sleep 0.02; done`, 300 * time.Millisecond, -1},
		"its child does": {`trap '' INT; sleep 600 >/dev/null 2>&1 & echo "child $!"; echo ready; wait; sleep 600`,
			300 * time.Millisecond, -1},
	} {
		// Written before any of them starts: a file that is still open for writing in a child can't be executed.
		program := standIn(t, test.code)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			var out strings.Builder
			end, err := Order{Program: program, Grace: test.grace, Stdout: writerFunc(func(text string) {
				out.WriteString(text)
				if strings.Contains(text, "ready") {
					cancel()
				}
			})}.run(ctx)
			if err != nil || end.Exit != test.exit {
				t.Errorf("%+v, %v", end, err)
			}
			if _, child, ok := strings.Cut(out.String(), "child "); ok {
				pid, err := strconv.Atoi(strings.Fields(child)[0])
				if err != nil {
					t.Fatal(err)
				}
				testkit.Gone(t, pid)
			}
			if test.exit > 0 && strings.Count(out.String(), "SIGINT") != 1 {
				t.Errorf("it printed %q", out.String())
			}
		})
	}
}

type writerFunc func(string)

func (f writerFunc) Write(text []byte) (int, error) {
	f(string(text))
	return len(text), nil
}
