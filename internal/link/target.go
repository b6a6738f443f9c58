package link

import (
	"errors"
	"fmt"
	"slices"

	"pooler-lab/internal/topology"
	"pooler-lab/internal/wording"
)

// everything is the target that stands for all links.
const everything = "all"

var errNoTarget = errors.New("on which link? Name links, paths or all, as in: scripts/latency 10ms client-primary")

// targets returns the links that the names stand for, each once: a link for itself, a path for its links, "all" for all
// links. A name that both have is the link's.
func targets(set *topology.Set, names []string) (links []string, err error) {
	if len(names) == 0 {
		return nil, errNoTarget
	}
	for _, name := range names {
		some, err := target(set, name)
		if err != nil {
			return nil, err
		}
		for _, link := range some {
			if !slices.Contains(links, link) {
				links = append(links, link)
			}
		}
	}
	return links, nil
}

func target(set *topology.Set, name string) ([]string, error) {
	if name == everything {
		return set.LinkNames(), nil
	}
	if _, err := set.Link(name); err == nil {
		return []string{name}, nil
	}
	p, err := set.Find(name)
	switch {
	case err != nil:
		return nil, wording.Unknown("link or path", name, targetNames(set))
	case len(p.Links()) == 0:
		return nil, fmt.Errorf("path %s has no link: no latency can be put on it", name)
	}
	return p.Links(), nil
}

// targetNames are the names of paths and links, each once.
func targetNames(set *topology.Set) []string {
	paths := set.PathNames()
	isPath := func(name string) bool { return slices.Contains(paths, name) }
	return slices.Concat(paths, slices.DeleteFunc(set.LinkNames(), isPath))
}
