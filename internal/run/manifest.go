package run

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/link"
	"pooler-lab/internal/plan"
	"pooler-lab/internal/result"
	"pooler-lab/internal/sample"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

// askTime is how long all components together may take to tell of themselves.
const askTime = 30 * time.Second

// manifest says on what the cells are about to run, as the running components tell it.
func manifest(ctx context.Context, servers *server.Servers, proxy *link.Client, set *topology.Set,
	cells []lesson.Cell, scale int) (result.Manifest, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	logins, err := logins(ctx, servers, set, cells)
	if err != nil {
		return result.Manifest{}, err
	}
	return result.Manifest{
		Versions:       versions(ctx, servers, proxy, set, cells),
		Authentication: logins,
		Scale:          scale,
		MaxConnections: servers.MaxConnections(ctx, databases(set, cells)),
		HugePages:      servers.HugePages(ctx, databases(set, cells)),
		Limits:         limits(ctx, set),
		Host: result.Host{CPUs: runtime.NumCPU(), MemoryBytes: memoryBytes(), Arch: runtime.GOARCH,
			Kernel: firstLine("/proc/sys/kernel/osrelease")},
	}, nil
}

// databases are those that the cells' paths lead to.
func databases(set *topology.Set, cells []lesson.Cell) []string {
	return slices.DeleteFunc(services(set, cells), func(s string) bool { return !topology.IsDatabase(s) })
}

// logins are what the roles of the cells are asked for on their paths. The role without a password may log in
// meanwhile: otherwise nobody would ask it for anything.
func logins(ctx context.Context, servers *server.Servers, set *topology.Set, cells []lesson.Cell) (
	[]result.Login, error) {
	all := []result.Login{}
	for _, role := range topology.Roles() {
		var paths []topology.Path
		for _, p := range set.Paths {
			if slices.ContainsFunc(cells, func(c lesson.Cell) bool { return c.Role == role && c.Path == p.Name }) {
				paths = append(paths, p)
			}
		}
		if len(paths) == 0 {
			continue
		}
		asked, err := servers.Logins(ctx, role, paths)
		if err != nil {
			return nil, err
		}
		all = append(all, asked...)
	}
	return all, nil
}

// limits are those of every container that a path of this lab goes through, equal ones of a kind together.
func limits(ctx context.Context, set *topology.Set) []result.Limit {
	poolers := set.Poolers()
	all := []result.Limit{}
	for _, service := range set.Services() {
		l := limitOf(ctx, service)
		switch {
		case poolers[service] != "":
			l.Of = "poolers"
		case topology.IsNode(service):
			l.Of = "nodes"
		default:
			l.Of = service
		}
		same := func(o result.Limit) bool { return o.Of == l.Of && o.CPUs == l.CPUs && o.Memory == l.Memory }
		if i := slices.IndexFunc(all, same); i >= 0 {
			all[i].Services = append(all[i].Services, service)
			continue
		}
		l.Services = []string{service}
		all = append(all, l)
	}
	return all
}

func limitOf(ctx context.Context, service string) result.Limit {
	limit, err := sample.ReadLimit(ctx, topology.LabDocker(), service)
	if err != nil {
		return result.Limit{CPUs: result.Unknown(err), Memory: result.Unknown(err)}
	}
	var l result.Limit
	if limit.CPUs > 0 {
		l.CPUs = strconv.FormatFloat(limit.CPUs, 'g', 3, 64)
	}
	if limit.MemoryBytes > 0 {
		l.Memory = plan.ComposeMemory(limit.MemoryBytes)
	}
	return l
}

func versions(ctx context.Context, servers *server.Servers, proxy *link.Client, set *topology.Set,
	cells []lesson.Cell) map[string]string {
	isProxy := func(s string) bool { return s == topology.Proxy || slices.Contains(set.Proxies(), s) }
	found := servers.Versions(ctx, slices.DeleteFunc(services(set, cells), isProxy))
	found["toxiproxy"] = told(proxy.Version(ctx))
	found["k6"], found["lab"] = told(k6Version(ctx)), labVersion()
	return found
}

// told is what a component said, or why it didn't.
func told(said string, err error) string {
	if err != nil {
		return result.Unknown(err)
	}
	return said
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
func labVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown: the program was built without its versions"
	}
	version := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			version += " " + s.Value
		}
	}
	return version + " " + info.GoVersion
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

// thisCapacity asks the lab and the machine.
func thisCapacity(ctx context.Context, servers *server.Servers, scale int) plan.Capacity {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	c := plan.Capacity{Scale: scale, HostBytes: memoryBytes()}
	for _, said := range servers.MaxConnections(ctx, topology.Nodes()) {
		n, _ := strconv.Atoi(said) // 0 where it doesn't tell
		c.Connections = least(c.Connections, n)
	}
	for _, node := range topology.Nodes() {
		limit, _ := sample.ReadLimit(ctx, topology.LabDocker(), node) // 0 where nobody tells
		c.NodeBytes = least(c.NodeBytes, limit.MemoryBytes)
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		c.Files = limit.Max
	}
	return c
}

// least is the smaller one of two limits, of which 0 is none.
func least[N int | int64](a, b N) N {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// freeConnections are how many connections the PostgreSQL nodes have left, as far as they say.
func freeConnections(ctx context.Context, servers *server.Servers) map[string]int {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	return servers.FreeConnections(ctx)
}
