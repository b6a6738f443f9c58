package source

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// dockerStandIn answers what preflight asks of Docker: its version, whether it limits CPUs, its security options and
// its operating system come from the environment.
const dockerStandIn = `#!/usr/bin/env bash
case "$*" in
'version '*) echo "$ENGINE" ;;
'info '*) echo "$ENGINE|$QUOTA|$SECURITY|$SYSTEM|4|8000000000|/nowhere" ;;
'ps '*) ;;
*) exit 1 ;;
esac
`

// preflight runs that of a checkout on an engine, and returns what it said.
func preflight(t *testing.T, checkout string, env ...string) (said string, ok bool) {
	t.Helper()
	program := filepath.Join(checkout, "docker")
	if err := os.WriteFile(program, []byte(dockerStandIn), 0o755); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(filepath.Join(checkout, "scripts", "preflight"))
	c.Env = append([]string{"PATH=" + checkout + ":" + os.Getenv("PATH"), "TMPDIR=" + checkout, "LAB_PORTS=2-11",
		"LAB_CONSOLE_PORT=1", "ENGINE=29.0.1", "QUOTA=true", "SECURITY=[name=seccomp,profile=default]",
		"SYSTEM=Debian GNU/Linux"}, env...)
	text, err := c.CombinedOutput()
	return string(text), err == nil
}

func asItIs(env string) string { return env }

func TestPreflightKnowsTheEngine(t *testing.T) {
	t.Parallel()
	threads, limits := "lets no container of the lab start a thread", "limits no container's CPU time"
	for _, c := range []struct {
		name, says string
		ok         bool
		env        []string
	}{
		{"a new one", "", true, nil},
		{"the first that can", "", true, []string{"ENGINE=20.10.10"}},
		{"the last that can't", threads, false, []string{"ENGINE=20.10.9"}},
		{"the first of its series", threads, false, []string{"ENGINE=20.10.0"}},
		{"an older series", threads, false, []string{"ENGINE=19.03.15"}},
		{"a distribution's, which may have mended it", "", true, []string{"ENGINE=20.10.5+dfsg1"}},
		{"without seccomp", "", true, []string{"ENGINE=20.10.5", "SECURITY=[]"}},
		{"rootless without the cpu controller", limits, true, []string{"QUOTA=false", "SECURITY=[name=rootless]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			said, ok := preflight(t, checkoutWith(t, asItIs), c.env...)
			if ok != c.ok || !strings.Contains(said, c.says) || c.says == "" && said != "" ||
				strings.Count(said, "\n") > 1 {
				t.Errorf("ok %v, said %q, wanted %q", ok, said, c.says)
			}
		})
	}
}

// Containers run as other users than whoever cloned the checkout.
func TestPreflightNamesFilesThatContainersCannotRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file string
		mode os.FileMode
	}{
		{"configs/paths.yaml", 0o600}, {"compose.yaml", 0o640}, {"k6", 0o754},
	} {
		t.Run(fmt.Sprintf("%s %o", c.file, c.mode), func(t *testing.T) {
			t.Parallel()
			checkout := checkoutWith(t, asItIs)
			file := filepath.Join(checkout, c.file)
			if err := os.Chmod(file, c.mode); err != nil {
				t.Fatal(err)
			}
			says := "lab: containers can't read " + c.file + ": run 'chmod -R go+rX compose.yaml configs images k6' in "
			said, ok := preflight(t, checkout)
			if ok || !strings.HasPrefix(said, says) {
				t.Errorf("ok %v, said %q, wanted %q", ok, said, says)
			}
			if said, ok := preflight(t, checkout, "SYSTEM=Docker Desktop"); !ok || said != "" {
				t.Errorf("Docker Desktop: said %q", said)
			}
			repair := exec.Command("chmod", "-R", "go+rX", "compose.yaml", "configs", "images", "k6")
			repair.Dir = checkout
			if err := repair.Run(); err != nil {
				t.Fatal(err)
			}
			if said, ok := preflight(t, checkout); !ok || said != "" {
				t.Errorf("after the chmod: said %q", said)
			}
		})
	}
}

func TestPreflightKnowsHowLongAPasswordMayBe(t *testing.T) {
	t.Parallel()
	checkout := checkoutWith(t, asItIs)
	roles := []string{"LAB_PASSWORD", "APP_PASSWORD", "APP_CLEAR_PASSWORD", "MONITOR_PASSWORD"}
	passwords := func(length int) []string {
		var env []string
		for _, name := range roles {
			env = append(env, name+"="+strings.Repeat("x", length))
		}
		return env
	}
	// Pgpool-II has no password of replication's.
	most := append(passwords(79), "REPLICATION_PASSWORD="+strings.Repeat("x", 80))
	if said, ok := preflight(t, checkout, most...); !ok || said != "" {
		t.Errorf("79 characters: said %q", said)
	}
	said, ok := preflight(t, checkout, passwords(80)...)
	for _, name := range roles {
		says := "lab: " + name + " has 80 characters in .env or the environment: give at most 79"
		if ok || !strings.Contains(said, says) {
			t.Errorf("80 characters: said %q, wanted %q", said, says)
		}
	}
}
