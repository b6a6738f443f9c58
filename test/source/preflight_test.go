package source

import (
	"fmt"
	"net"
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
'network ls '*) echo 1 ;;
'network inspect '*) echo "other_default ${SUBNET-}" ;;
*) exit 1 ;;
esac
`

// preflight runs that of a checkout on an engine, and returns what it said of problems.
func preflight(checkout string, env ...string) (said string, ok bool) {
	c := exec.Command(filepath.Join(checkout, "scripts", "preflight"))
	c.Env = append([]string{"PATH=" + checkout + ":" + os.Getenv("PATH"), "LAB_PORTS=2-12",
		"LAB_CONSOLE_PORT=1", "ENGINE=29.0.1", "QUOTA=true", "SECURITY=[name=seccomp,profile=default]",
		"SYSTEM=Debian GNU/Linux"}, env...)
	var problems strings.Builder
	c.Stderr = &problems
	text, err := c.Output()
	if can := strings.HasPrefix(string(text), "This machine can run the lab.\n"); can != (err == nil) {
		return "on standard output: " + string(text), err == nil
	}
	return problems.String(), err == nil
}

// Each problem is a sentence, and what isn't one is none.
func TestPreflight(t *testing.T) {
	t.Parallel()
	const threads, limits = "lets no container of the lab start a thread", "limits no container's CPU time"
	const scale, cpus, size = "a whole number from 1 to 20000", "a number of CPUs, such as 0.5", "a size, such as 1g"
	const most, ports, letters = "Docker has 4 CPUs here", "eleven ports in a row", "letters, digits, '_', '.' and '-'"
	password := func(name string, length int) string { return name + "_PASSWORD=" + strings.Repeat("x", length) }
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	port := taken.Addr().(*net.TCPAddr).Port
	checkout := checkoutWith(t, asItIs)
	for _, c := range []struct {
		env  string // settings, a blank between them
		says string // what is wrong or, with ok, what is only told; "" where nothing is
		ok   bool
	}{
		{"", "", true},
		{"ENGINE=20.10.10", "", true},
		{"SUBNET=10.89.0.0/24", "", true},
		{"SUBNET=10.89.57.0/24", "network other_default has the addresses 10.89.57.*", false},
		{"LAB_NETWORK=10.89", "the first three numbers of addresses", false},
		{"ENGINE=20.10.9", threads, false},
		{"ENGINE=20.10.0", threads, false},
		{"ENGINE=19.03.15", threads, false},
		{"ENGINE=20.10.5+dfsg1", "", true}, // a distribution's, which may have mended it
		{"ENGINE=20.10.5 SECURITY=[]", "", true},
		{"QUOTA=false SECURITY=[name=rootless]", limits, true},
		{"LAB_SCALE=ten", scale, false},
		{"LAB_SCALE=0", scale, false},
		{"LAB_SCALE=20001", scale, false},
		{"LAB_SCALE=1.5", scale, false},
		{"LAB_SCALE=", scale, false},
		{"LAB_MAX_CONNECTIONS=many", "a whole number from 100", false},
		{"LAB_MAX_CONNECTIONS=20", "a whole number from 100", false},
		{"LAB_DEBIAN_RELEASE=13", "the code name of a Debian release", false},
		{"LAB_POSTGRES_MAJOR=17.1", "PostgreSQL's major version", false},
		{"LAB_POSTGRES_MAJOR=", "PostgreSQL's major version", false},
		{"LAB_NODE_CPUS=half", cpus, false},
		{"LAB_NODE_CPUS=0", cpus, false},
		{"LAB_POOLER_CPUS=-1", cpus, false},
		{"LAB_POOLER_CPUS=0,5", cpus, false},
		{"LAB_NODE_CPUS=4", "", true},
		{"LAB_NODE_CPUS=4096", most, false},
		{"LAB_POOLER_CPUS=4.5", most, false},
		{"LAB_NODE_MEMORY=much", size, false},
		{"LAB_POOLER_MEMORY=1", size, false},
		{"LAB_YUGABYTE_MEMORY=3_g", size, false},
		{"LAB_PORTS=15001", ports, false},
		{"LAB_PORTS=15001-15010", ports, false},
		{"LAB_PORTS=15011-15001", ports, false},
		{"LAB_PORTS=65530-65540", "eleven ports in a row below 65536", false},
		{"LAB_PORTS=here-there", ports, false},
		{"LAB_CONSOLE_PORT=5", "a port below 65536 that isn't one of LAB_PORTS", false},
		{fmt.Sprintf("LAB_PORTS=%d-%d", port-10, port), " of 127.0.0.1 is taken: free it", false},
		{"LAB_PASSWORD=with/slash", letters, false},
		{"APP_PASSWORD=quo'te", letters, false},
		{"APP_CLEAR_PASSWORD=", letters, false},
		{`YSQL_PASSWORD=back\slash`, letters, false},
		{password("LAB", 79), "", true},
		{password("LAB", 80), "LAB_PASSWORD has 80 characters in .env or the environment: give at most 79", false},
		{password("APP", 80), "APP_PASSWORD has 80 characters", false},
		{password("APP_CLEAR", 80), "APP_CLEAR_PASSWORD has 80 characters", false},
		{password("MONITOR", 80), "MONITOR_PASSWORD has 80 characters", false},
		{password("REPLICATION", 80), "", true}, // Pgpool-II has none of its
	} {
		t.Run(c.env, func(t *testing.T) {
			t.Parallel()
			said, ok := preflight(checkout, strings.Fields(c.env)...)
			if ok != c.ok || !strings.Contains(said, c.says) || c.says == "" && said != "" || strings.Count(said, "\n") > 1 {
				t.Errorf("ok %v, said %q, wanted %q", ok, said, c.says)
			}
			name, value, _ := strings.Cut(c.env, "=")
			begins := name + " is '" + value + "' in .env or the environment: "
			if strings.HasPrefix(c.says, "a ") && !strings.Contains(said, begins) {
				t.Errorf("said %q, wanted %q in it", said, begins)
			}
		})
	}
	said, ok := preflight(checkout, "LAB_SCALE=ten", "LAB_NODE_CPUS=half")
	if ok || !strings.Contains(said, scale) || !strings.Contains(said, cpus) {
		t.Errorf("of two wrong settings it says %q", said)
	}
}

func asItIs(env string) string { return env }

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
			said, ok := preflight(checkout)
			if ok || !strings.HasPrefix(said, says) {
				t.Errorf("ok %v, said %q, wanted %q", ok, said, says)
			}
			if said, ok := preflight(checkout, "SYSTEM=Docker Desktop"); !ok || said != "" {
				t.Errorf("Docker Desktop: said %q", said)
			}
			repair := exec.Command("chmod", "-R", "go+rX", "compose.yaml", "configs", "images", "k6")
			repair.Dir = checkout
			if err := repair.Run(); err != nil {
				t.Fatal(err)
			}
			if said, ok := preflight(checkout); !ok || said != "" {
				t.Errorf("after the chmod: said %q", said)
			}
		})
	}
}
