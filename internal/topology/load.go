package topology

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// services are those of Compose, by name.
type services map[string]struct {
	Profiles []string // it starts only if one of them is on; none: always
}

// Load reads configs/paths.yaml, configs/toxiproxy.json and the service names of compose.yaml below root.
// An error names the file, the path or link in it, and what would be right; nothing is half loaded.
func Load(root string) (*Set, error) {
	all, err := readServices(filepath.Join(root, "compose.yaml"))
	if err != nil {
		return nil, err
	}
	links, err := readLinks(filepath.Join(root, "configs", "toxiproxy.json"), all)
	if err != nil {
		return nil, err
	}
	set := &Set{Links: links, Root: root}
	file := filepath.Join(root, "configs", "paths.yaml")
	if set.Paths, err = readPaths(file); err != nil {
		return nil, err
	}
	if err := set.check(all); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i := range set.Paths {
		p := &set.Paths[i]
		for _, name := range p.Services {
			p.Unavailable = cmp.Or(p.Unavailable, whyOff(all, name))
			p.NamedOnly = p.NamedOnly || found(name) == "" && !asked(all, name)
		}
	}
	for i, l := range set.Links {
		set.Links[i].Pooler = set.PoolerKind(l.Service())
	}
	set.followRoles()
	return set, nil
}

func readPaths(file string) ([]Path, error) {
	var paths []Path
	if err := ReadYAML(file, &paths); err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s holds no path", file)
	}
	return paths, nil
}

// ReadYAML reads a file of configs/. A key that into doesn't have is an error: mistyped, it would silently leave its
// default.
func ReadYAML(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read %s: %w", file, err)
	}
	return nil
}

func readServices(file string) (services, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read services: %w", err)
	}
	var compose struct{ Services services }
	if err := yaml.Unmarshal(data, &compose); err != nil {
		return nil, fmt.Errorf("read services from %s: %w", file, err)
	}
	return compose.Services, nil
}

// whyOff returns why the service isn't part of the lab just now, or "" if it is.
func whyOff(all services, name string) string {
	if reason := found(name); reason != "" || asked(all, name) {
		return reason
	}
	return fmt.Sprintf("service %s is off: COMPOSE_PROFILES in .env doesn't name %s", name, all[name].Profiles[0])
}

// found is why a service can't be had, as the scripts found out (LAB_YUGABYTE_OFF and the like): "" where it can.
func found(name string) string { return os.Getenv("LAB_" + strings.ToUpper(name) + "_OFF") }

// asked says whether the service is wanted: it is in no profile of Compose, or in one that is on.
func asked(all services, name string) bool {
	profiles := all[name].Profiles
	on := func(profile string) bool { return profile == "*" || slices.Contains(profiles, profile) }
	return len(profiles) == 0 || slices.ContainsFunc(strings.Split(os.Getenv("COMPOSE_PROFILES"), ","), on)
}
