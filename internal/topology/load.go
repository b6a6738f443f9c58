package topology

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// service is what a path needs to know of a Compose service.
type service struct {
	name     string
	profiles []string // starts only if one of them is on; none: always
}

// Load reads configs/paths.yaml, configs/toxiproxy.json and the service names of compose.yaml below root.
// An error names the file, the path or link in it, and what would be right; nothing is half loaded.
func Load(root string) (*Set, error) {
	services, err := readServices(filepath.Join(root, "compose.yaml"))
	if err != nil {
		return nil, err
	}
	links, err := readLinks(filepath.Join(root, "configs", "toxiproxy.json"), services)
	if err != nil {
		return nil, err
	}
	set := &Set{Links: links, Root: root}
	file := filepath.Join(root, "configs", "paths.yaml")
	if set.Paths, err = readPaths(file); err != nil {
		return nil, err
	}
	if err := set.check(services); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i := range set.Paths {
		for _, name := range set.Paths[i].Services {
			if set.Paths[i].off == "" {
				set.Paths[i].off = whyOff(services, name)
			}
		}
	}
	for _, p := range set.Paths {
		for i, l := range set.Links {
			if l.Service() == p.PoolerService() {
				set.Links[i].pooler = p.Pooler
			}
		}
	}
	return set, nil
}

func readPaths(file string) ([]Path, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read paths: %w", err)
	}
	var paths []Path
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true) // a mistyped key would silently leave its default
	if err := decoder.Decode(&paths); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read paths from %s: %w", file, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s holds no path", file)
	}
	return paths, nil
}

func readServices(file string) ([]service, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read services: %w", err)
	}
	var compose struct {
		Services map[string]struct{ Profiles []string }
	}
	if err := yaml.Unmarshal(data, &compose); err != nil {
		return nil, fmt.Errorf("read services from %s: %w", file, err)
	}
	var services []service
	for name, s := range compose.Services {
		services = append(services, service{name, s.Profiles})
	}
	slices.SortFunc(services, func(a, b service) int { return strings.Compare(a.name, b.name) })
	return services, nil
}

// whyOff returns why the service isn't part of the lab just now, or "" if it is. LAB_YUGABYTE_OFF is the reason
// that the scripts found (no image can be had); otherwise Compose's profiles decide.
func whyOff(services []service, name string) string {
	if reason := os.Getenv("LAB_YUGABYTE_OFF"); name == "yugabyte" && reason != "" {
		return reason
	}
	i := slices.IndexFunc(services, func(s service) bool { return s.name == name })
	if i < 0 || len(services[i].profiles) == 0 {
		return ""
	}
	on := strings.Split(os.Getenv("COMPOSE_PROFILES"), ",")
	for _, profile := range services[i].profiles {
		if slices.Contains(on, profile) || slices.Contains(on, "*") {
			return ""
		}
	}
	return fmt.Sprintf("service %s is off: COMPOSE_PROFILES in .env doesn't name %s", name, services[i].profiles[0])
}
