package console

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/spf13/cobra"
)

// liveLoadFile is within results/ and tells other programs of the lab that the live load runs. The kernel lets go of
// its lock when the console ends, so it is never stale; the file itself stays.
const liveLoadFile = ".live-load"

// longestNote is how many bytes of what the load is are read.
const longestNote = 1 << 10

// noteLiveLoad notes that a live load runs, and what it is, until the returned function is called.
func noteLiveLoad(results, what string) (over func(), err error) {
	f, err := os.OpenFile(filepath.Join(results, liveLoadFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("note the live load: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt([]byte(what), 0)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("note the live load: %w", err)
	}
	return func() { f.Close() }, nil
}

// liveLoad returns what the live load is, not ok where none runs or nobody can tell.
func liveLoad(results string) (what string, ok bool) {
	f, err := os.Open(filepath.Join(results, liveLoadFile))
	if err != nil {
		return "", false
	}
	defer f.Close()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return "", false
	}
	text, err := io.ReadAll(io.NewSectionReader(f, 0, longestNote))
	return string(text), err == nil
}

// sharing are the commands that the live load disturbs: each says so.
var sharing = []string{"connect", "k6", "latency", "pgbench", "psql"}

// WarnOfLiveLoad says in a line that the live load runs, where the command shares the servers with it. results is the
// folder of all runs.
func WarnOfLiveLoad(c *cobra.Command, args []string, results string, notes io.Writer) {
	for c.HasParent() && c.Parent().HasParent() { // 'latency off' is of latency
		c = c.Parent()
	}
	if !slices.Contains(sharing, c.Name()) || slices.Contains(args, "--help") {
		return
	}
	if what, ok := liveLoad(results); ok {
		fmt.Fprintf(notes, "the console's live load runs (%s) and shares the servers: stop it at %s\n", what, Address())
	}
}
