package topology

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pooler-lab/internal/wording"
)

var (
	databases = []string{"postgresql", "yugabytedb"}
	poolings  = []string{"none", "transaction", "session", "statement"}
	targets   = []string{"", "any", "read-write", "read-only", "primary", "standby", "prefer-standby"} // libpq's
)

// check says what is wrong with the paths, and takes over the plain endpoint of a path that is another one without
// latency.
func (s *Set) check(all services) error {
	seen, kinds := map[string]bool{}, map[string]string{}
	for i := range s.Paths {
		p := &s.Paths[i]
		if seen[p.Name] {
			return fmt.Errorf("path %q stands there twice", p.Name)
		}
		seen[p.Name] = true
		if err := s.checkPath(p, all); err != nil {
			return fmt.Errorf("path %q: %w", p.Name, err)
		}
		if p.Pooler == "" {
			continue
		}
		service := p.PoolerService()
		if other := kinds[service]; other != "" && other != p.Pooler {
			return fmt.Errorf("path %q: service %s is a pooler of kind %q here and of kind %q on another path",
				p.Name, service, p.Pooler, other)
		}
		kinds[service] = p.Pooler
	}
	return nil
}

func (s *Set) checkPath(p *Path, all services) error {
	if p.Name == "" || strings.ContainsAny(p.Name, " \t/*") {
		return errors.New("name is needed, a word like pgbouncer-session")
	}
	if p.Meaning == "" {
		return errors.New("meaning is needed, one line")
	}
	if !slices.Contains(databases, p.Database) {
		return wording.Unknown("database", p.Database, databases)
	}
	if !slices.Contains(poolings, p.Pools) {
		return wording.Unknown("pools", p.Pools, poolings)
	}
	if len(p.Services) == 0 {
		return errors.New("services is needed: what the query goes through, in order")
	}
	for _, name := range p.Services {
		if err := checkService(name, all); err != nil {
			return err
		}
	}
	if err := checkPooler(p); err != nil {
		return err
	}
	if err := s.settlePlain(p); err != nil {
		return err
	}
	if err := checkEndpoint(p.Plain, all); err != nil {
		return err
	}
	for _, o := range p.Over {
		if err := s.checkOver(o, all); err != nil {
			return err
		}
	}
	return nil
}

// checkPooler wants a kind of pooler where connections are pooled, and none where they are not.
func checkPooler(p *Path) error {
	switch {
	case p.Pools == "none" && p.Pooler != "":
		return fmt.Errorf("pooler is %s, and pools is none", p.Pooler)
	case p.Pools != "none" && p.Pooler == "":
		return errors.New("pooler is needed: the kind of the first service, such as those of the other paths")
	case p.Pooler != "" && len(p.Services) < 2:
		return errors.New("services is needed: the pooler, and what it connects to")
	}
	return nil
}

// settlePlain sees that a path has a plain endpoint, its own or another path's.
func (s *Set) settlePlain(p *Path) error {
	own := p.Plain != Endpoint{}
	if own == (p.WithoutLatency != "") {
		return errors.New("either endpoint or without_latency is needed, not both")
	}
	if own {
		return nil
	}
	other, err := s.Find(p.WithoutLatency)
	if err != nil {
		return fmt.Errorf("without_latency: %w", err)
	}
	if other.WithoutLatency != "" {
		return fmt.Errorf("without_latency: %s has no endpoint of its own either", other.Name)
	}
	if len(p.Over) == 0 {
		return errors.New("over is needed: without a link it is only another name for " + other.Name)
	}
	p.Plain = other.Plain
	return nil
}

func (s *Set) checkOver(o Over, all services) error {
	if len(o.Links) == 0 {
		return errors.New("over: links is needed, at least one")
	}
	var ports []int
	for _, name := range o.Links {
		l, err := s.Link(name)
		if err != nil {
			return fmt.Errorf("over: %w", err)
		}
		ports = append(ports, l.Port())
	}
	if err := checkEndpoint(o.Endpoint, all); err != nil {
		return fmt.Errorf("over %s: %w", strings.Join(o.Links, ", "), err)
	}
	if o.Endpoint.Host == Proxy && !slices.Contains(ports, o.Endpoint.Port) {
		return fmt.Errorf("over %s: endpoint's port is %d, but configs/toxiproxy.json has that link on %d",
			strings.Join(o.Links, ", "), o.Endpoint.Port, ports[0])
	}
	return nil
}

func checkEndpoint(e Endpoint, all services) error {
	if e.Host == "" || e.DBName == "" || e.Port < 1 || e.Port > 65535 {
		return fmt.Errorf("endpoint %+v: host, port (1 to 65535) and dbname are needed", e)
	}
	if e.Socket() {
		return nil
	}
	for _, host := range e.Hosts() {
		if err := checkService(host, all); err != nil {
			return fmt.Errorf("endpoint: %w", err)
		}
	}
	if !slices.Contains(targets, e.Target) {
		return fmt.Errorf("endpoint: %w", wording.Unknown("target_session_attrs", e.Target, targets[1:]))
	}
	return nil
}

func checkService(name string, all services) error {
	if _, has := all[name]; has {
		return nil
	}
	return fmt.Errorf("%w in compose.yaml", wording.Unknown("service", name, slices.Sorted(maps.Keys(all))))
}
