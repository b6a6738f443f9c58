package link

import (
	"errors"
	"fmt"
	"slices"

	"pooler-lab/internal/suggest"
	"pooler-lab/internal/topology"
)

// everything is the target that stands for all links.
const everything = "all"

var errNoTarget = errors.New("on which link? Name links, paths or all, as in: scripts/latency 10ms client-primary")

// targets returns the links that the names stand for, each once: a link for itself, a path for
// its links, "all" for all. A note is for people, where a name could mean two things.
func targets(set *topology.Set, names []string) (links, notes []string, err error) {
	if len(names) == 0 {
		return nil, nil, errNoTarget
	}
	for _, name := range names {
		some, note, err := target(set, name)
		if err != nil {
			return nil, nil, err
		}
		if note != "" {
			notes = append(notes, note)
		}
		for _, link := range some {
			if !slices.Contains(links, link) {
				links = append(links, link)
			}
		}
	}
	return links, notes, nil
}

func target(set *topology.Set, name string) (links []string, note string, err error) {
	if name == everything {
		return set.LinkNames(), "", nil
	}
	_, notLink := set.Link(name)
	p, notPath := set.Find(name)
	switch {
	case notLink == nil:
		if notPath == nil && !slices.Contains(p.Links(), name) {
			note = fmt.Sprintf("%s is taken for the link; the path of that name goes over %v", name, p.Links())
		}
		return []string{name}, note, nil
	case notPath == nil && len(p.Links()) == 0:
		return nil, "", fmt.Errorf("path %s has no link: no latency can be put on it", name)
	case notPath == nil:
		return p.Links(), "", nil
	}
	return nil, "", suggest.Unknown("link or path", name, targetNames(set))
}

// targetNames are the names of paths and links, each once.
func targetNames(set *topology.Set) []string {
	paths := set.PathNames()
	isPath := func(name string) bool { return slices.Contains(paths, name) }
	return slices.Concat(paths, slices.DeleteFunc(set.LinkNames(), isPath))
}
