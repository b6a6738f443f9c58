package source

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"

	"pooler-lab/test/testkit"
)

// The role check says what stands in the file, and no client that sends nothing keeps the next one from its answer.
func TestRoleCheck(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.OK(t, err)
	at := listener.Addr().String()
	listener.Close()
	folder := t.TempDir()
	check := exec.CommandContext(t.Context(), filepath.Join(root, "images", "postgres", "role-check"),
		filepath.Join(folder, "primary.server"), at)
	testkit.OK(t, check.Start())
	t.Cleanup(func() { _ = check.Wait() }) // the test's context has ended it
	says := func(want int) {
		t.Helper()
		testkit.Eventually(t, func() string {
			answer, err := http.Get("http://" + at)
			if err != nil {
				return err.Error()
			}
			answer.Body.Close()
			if answer.StatusCode != want {
				return fmt.Sprintf("status %d, wanted %d", answer.StatusCode, want)
			}
			return ""
		})
	}
	says(http.StatusServiceUnavailable) // there is no file yet
	write(t, folder, map[string]string{"primary.server": "primary\n"})
	says(http.StatusOK)
	for range 2 {
		silent, err := net.Dial("tcp", at)
		testkit.OK(t, err)
		defer silent.Close()
	}
	says(http.StatusOK)
	for _, word := range []string{"down", "standby"} {
		write(t, folder, map[string]string{"primary.server": word + "\n"})
		says(http.StatusServiceUnavailable)
	}
}
