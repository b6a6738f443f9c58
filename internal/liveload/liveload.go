// Package liveload tells other programs of the lab that the console's live load runs: it shares the servers with them.
package liveload

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// file is within results/. The kernel lets go of its lock when the console ends, so it is never stale; the file itself
// stays.
const file = ".live-load"

// longest is how many bytes of what the load is are read.
const longest = 1 << 10

// Note notes that a live load runs, and what it is, until the returned function is called.
func Note(results, what string) (over func(), err error) {
	f, err := os.OpenFile(filepath.Join(results, file), os.O_RDWR|os.O_CREATE, 0o644)
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

// Running returns what the live load is, not ok where none runs or nobody can tell.
func Running(results string) (what string, ok bool) {
	f, err := os.Open(filepath.Join(results, file))
	if err != nil {
		return "", false
	}
	defer f.Close()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return "", false
	}
	text, err := io.ReadAll(io.NewSectionReader(f, 0, longest))
	return string(text), err == nil
}
