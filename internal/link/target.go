package link

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pooler-lab/internal/suggest"
	"pooler-lab/internal/topology"
)

// everything is the target that stands for all links.
const everything = "all"

// targets returns the links that the names stand for, each once: a link for itself, a path for
// its links, "all" for all. A note is for people, where a name could mean two things.
func targets(set *topology.Set, names []string) (links, notes []string, err error) {
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
	case notLink == nil && notPath == nil && !slices.Contains(p.Links(), name):
		return []string{
				name,
			}, fmt.Sprintf(
				"%s is taken for the link; the path of that name goes over %v",
				name,
				p.Links(),
			), nil
	case notLink == nil:
		return []string{name}, "", nil
	case notPath == nil && len(p.Links()) == 0:
		return nil, "", fmt.Errorf("path %s has no link: no latency can be put on it", name)
	case notPath == nil:
		return p.Links(), "", nil
	}
	return nil, "", unknownTarget(set, name)
}

func unknownTarget(set *topology.Set, name string) error {
	links, paths := set.LinkNames(), set.PathNames()
	if some := suggest.Begun(name, paths); len(some) > 0 {
		return fmt.Errorf("unknown link or path %q: did you mean one of the paths %s?", name, strings.Join(some, ", "))
	}
	if suggest.Closest(name, links) == "" && suggest.Closest(name, paths) != "" {
		return suggest.Unknown("link or path", name, slices.Concat(paths, links))
	}
	return suggest.Unknown("link or path", name, slices.Concat(links, paths))
}

var errNoTarget = errors.New("on which link? Name links, paths or all, as in: scripts/latency 10ms client-primary")
