package run

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/link"
	"pooler-lab/internal/result"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

// versionTime is how long all components together may take to tell their versions.
const versionTime = 10 * time.Second

// logins are how clients of each role log in, the same on every path of the lab.
var logins = map[string]string{
	"app":       "scram-sha-256, 4096 iterations, PgBouncer holds the server's SCRAM secret, Pgpool-II the password encrypted",
	"app_clear": "scram-sha-256, 4096 iterations, PgBouncer holds the clear password, Pgpool-II the password encrypted",
	"app_trust": "no password",
}

// authentication is how the clients of the cells log in.
func authentication(cells []lesson.Cell) string {
	var all []string
	for _, role := range server.Roles() {
		if slices.ContainsFunc(cells, func(c lesson.Cell) bool { return c.Role == role }) {
			all = append(all, role+": "+logins[role])
		}
	}
	return strings.Join(all, "; ")
}

// manifest says on what the cells are about to run.
func manifest(ctx context.Context, servers *server.Lab, set *topology.Set, cells []lesson.Cell, scale int) result.Manifest {
	connections, _ := strconv.Atoi(os.Getenv("LAB_MAX_CONNECTIONS"))
	return result.Manifest{
		Versions:       versions(ctx, servers, set, cells),
		Authentication: authentication(cells),
		Scale:          scale,
		MaxConnections: connections,
		Limits: []result.Limit{
			{Of: "nodes", CPUs: os.Getenv("LAB_NODE_CPUS"), Memory: os.Getenv("LAB_NODE_MEMORY")},
			{Of: "poolers", CPUs: os.Getenv("LAB_POOLER_CPUS"), Memory: os.Getenv("LAB_POOLER_MEMORY")},
			{Of: "yugabyte", CPUs: os.Getenv("LAB_YUGABYTE_CPUS"), Memory: os.Getenv("LAB_YUGABYTE_MEMORY")},
		},
		Host: result.Host{CPUs: runtime.NumCPU(), MemoryBytes: memoryBytes(), Kernel: firstLine("/proc/sys/kernel/osrelease"),
			Arch: runtime.GOARCH},
	}
}

func versions(ctx context.Context, servers *server.Lab, set *topology.Set, cells []lesson.Cell) map[string]string {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	found := servers.Versions(ctx, slices.DeleteFunc(services(set, cells), func(s string) bool { return s == topology.Proxy }))
	for name, ask := range map[string]func(context.Context) (string, error){
		"toxiproxy": toxiproxyVersion, "k6": k6Version, "lab": labVersion,
	} {
		version, err := ask(ctx)
		if err != nil {
			version = "unknown: " + err.Error()
		}
		found[name] = version
	}
	return found
}

func toxiproxyVersion(ctx context.Context) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, link.APIURL()+"/version", nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var said struct{ Version string }
	if err := json.NewDecoder(response.Body).Decode(&said); err != nil {
		return "", fmt.Errorf("read toxiproxy's version: %w", err)
	}
	return said.Version, nil
}

func k6Version(ctx context.Context) (string, error) {
	said, err := exec.CommandContext(ctx, "k6", "version").Output()
	if err != nil {
		return "", fmt.Errorf("ask k6 for its version: %w", err)
	}
	line, _, _ := strings.Cut(string(said), "\n")
	return strings.TrimPrefix(line, "k6 "), nil
}

// labVersion is this program's: its module's, its commit where the build knew one, and its Go.
func labVersion(context.Context) (string, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", fmt.Errorf("the program was built without its versions")
	}
	version := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			version += " " + s.Value
		}
	}
	return version + " " + info.GoVersion, nil
}

// memoryBytes is the host's memory, 0 where it doesn't tell.
func memoryBytes() int64 {
	fields := strings.Fields(firstLine("/proc/meminfo")) // MemTotal: 16384000 kB
	if len(fields) < 2 {
		return 0
	}
	kb, _ := strconv.ParseInt(fields[1], 10, 64)
	return kb << 10
}

func firstLine(file string) string {
	text, _ := os.ReadFile(file)
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}
