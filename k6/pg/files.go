package pg

import "go.k6.io/k6/v2/js/modules"

// ownFiles are the descriptors that k6 needs besides those of connections.
const ownFiles = 50

// warnOfFiles says, before the test begins and once, that this process can't
// open a connection for each of its VUs. It isn't an error: VUs may share a pool.
func (m *Module) warnOfFiles(vu modules.VU, vus int64, most uint64) {
	if most > ownFiles && uint64(vus) == most-ownFiles+1 {
		vu.InitEnv().Logger.Warnf("k6/x/pg: this machine lets a process open %d files: "+
			"where each VU has a connection of its own, those beyond %d fail with files_exhausted; "+
			"raise the limit (ulimit -n; in Docker the daemon's default-ulimits)", most, most-ownFiles)
	}
}
