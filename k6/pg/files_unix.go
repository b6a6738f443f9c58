//go:build unix

package pg

import "syscall"

// mostFiles returns how many files this process may open, 0 if that isn't known.
// Go has raised the soft limit to the hard one at the process's start.
func mostFiles() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur)
}
