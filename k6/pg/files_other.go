//go:build !unix

package pg

// mostFiles returns 0: how many files this process may open isn't known.
func mostFiles() uint64 {
	return 0
}
