package test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// onePiece reports whether an error is a sentence or two for a person: short, and no trace of a script gone wrong.
func onePiece(said string) bool {
	return len(said) < 500 && strings.Count(strings.TrimSpace(said), "\n") == 0 && !strings.Contains(said, "line ")
}

func TestPreflightNamesTheContainerThatTookThePort(t *testing.T) {
	t.Parallel()
	first, _, _ := strings.Cut(os.Getenv("LAB_PORTS"), "-")
	// Tests in a container of their own don't have the host's ports: take it here as well.
	if listener, err := net.Listen("tcp", "127.0.0.1:"+first); err == nil {
		defer listener.Close()
	}
	said := refused(t, []string{"COMPOSE_PROJECT_NAME=" + project + "-none", "LAB_NETWORK=10.89.254"}, "preflight")
	taken := "port " + first + " of 127.0.0.1 is taken by container " + container("toxiproxy")
	if !strings.Contains(said, taken) || !onePiece(said) {
		t.Errorf("said %q", said)
	}
}

// onlyTools returns a folder with links to a few programs and nothing else: a PATH without Docker.
func onlyTools(t *testing.T, names ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range names {
		file, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(file, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// Without Docker, or without its daemon, whatever a person types says so and what to do.
func TestWithoutDocker(t *testing.T) {
	t.Parallel()
	missing := "PATH=" + onlyTools(t, "bash", "env", "sed", "dirname", "basename", "id", "grep")
	cases := map[string]struct{ setting, says string }{
		"Docker missing": {missing, "Docker is missing: install Docker Engine 20.10.10 or later"},
		"daemon down":    {"DOCKER_HOST=unix:///nowhere/docker.sock", "Docker's daemon does not answer: start it"},
	}
	for name, c := range cases {
		for _, line := range []string{"preflight", "up", "tour", "latency", "psql direct", "run 00-tour", "reset"} {
			t.Run(name+"/"+line, func(t *testing.T) {
				words := strings.Fields(line)
				said := refused(t, []string{c.setting}, words[0], words[1:]...)
				if !strings.Contains(said, c.says) || !onePiece(said) {
					t.Errorf("said %q\nwanted one sentence with %q", said, c.says)
				}
			})
		}
	}
	t.Run("Docker missing/compose ps", func(t *testing.T) {
		said := refused(t, []string{missing}, "compose", "ps")
		if !strings.Contains(said, "Docker is missing") || !onePiece(said) {
			t.Errorf("said %q", said)
		}
	})
}

// An account that isn't in Docker's group is told how to get there.
func TestWithoutPermissionOnDockersSocket(t *testing.T) {
	t.Parallel()
	const socket, nobody = "/var/run/docker.sock", 12345
	info, err := os.Stat(socket)
	if err != nil || os.Getuid() != 0 || info.Mode().Perm()&0o007 != 0 {
		t.Skipf("wants to be root and a socket closed to others: %v, uid %d", err, os.Getuid())
	}
	c := exec.CommandContext(t.Context(), filepath.Join(root, "scripts", "preflight"))
	c.Env = append(os.Environ(), "HOME=/tmp")
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	text, err := c.CombinedOutput()
	said := string(text)
	if err == nil || !strings.Contains(said, "this account may not use Docker") ||
		!strings.Contains(said, "sudo usermod -aG docker") || !onePiece(said) {
		t.Errorf("error %v, said %q", err, said)
	}
}
