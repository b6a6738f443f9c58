package pooler

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// Limits are how much a pooler takes at once, as its configuration in configs/ says.
type Limits struct {
	Clients  int    // connections from clients
	PoolSize int    // server connections of one pool, which is of a database and a role; 0 is one for each client
	Setting  string // that says how many clients
}

// Limits reads those of the kind's services below root, the folder that holds configs/. They all have one
// configuration.
func (k Kind) Limits(root string) (l Limits, err error) {
	file := filepath.Join(root, "configs", k.configuration)
	text, err := os.ReadFile(file)
	if err != nil {
		return l, fmt.Errorf("read the limits of %s: %w", k.Title, err)
	}
	l.Setting = k.mostClients + " in configs/" + k.configuration
	for name, into := range map[string]*int{k.mostClients: &l.Clients, k.PoolSize: &l.PoolSize} {
		if name == "" {
			continue
		}
		if *into, err = configured(string(text), name); err != nil {
			return l, fmt.Errorf("read the limits of %s: %s: %w", k.Title, file, err)
		}
	}
	return l, nil
}

// configured is the number that a line of a configuration gives to name.
func configured(text, name string) (int, error) {
	line := regexp.MustCompile(`(?m)^[ \t]*` + regexp.QuoteMeta(name) + `[ \t]*[ \t=][ \t]*([0-9]+)`)
	found := line.FindAllStringSubmatch(text, -1)
	if len(found) != 1 {
		return 0, fmt.Errorf("%d lines give a number to %s, it has to be one", len(found), name)
	}
	return strconv.Atoi(found[0][1])
}
