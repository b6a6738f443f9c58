package topology

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// Proxy is the Compose service whose listeners are the links.
const Proxy = "toxiproxy"

// Link is one network hop that latency can be put on: one proxy of toxiproxy.
type Link struct {
	Name     string `json:"name"`
	Listen   string `json:"listen"`   // host:port, inside toxiproxy's container
	Upstream string `json:"upstream"` // host:port that the link leads to

	Pooler      string `json:"-"` // kind of the pooler that it leads to, "" where it leads to none
	Unavailable string `json:"-"` // why nothing can travel over it in this lab, "" where something can
}

// Port returns the port that the link listens on.
func (l Link) Port() int {
	_, port, _ := net.SplitHostPort(l.Listen)
	n, _ := strconv.Atoi(port)
	return n
}

// Service returns the Compose service that the link leads to.
func (l Link) Service() string {
	host, _, _ := net.SplitHostPort(l.Upstream)
	return host
}

// readLinks reads toxiproxy's own config file and says what is wrong with it.
func readLinks(file string, all services) ([]Link, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read links: %w", err)
	}
	var links []Link
	if err := json.Unmarshal(data, &links); err != nil {
		return nil, fmt.Errorf("read links from %s: %w", file, err)
	}
	names, ports := map[string]bool{}, map[int]string{}
	for i, l := range links {
		if err := checkLink(l, all); err != nil {
			return nil, fmt.Errorf("%s: link %d, %q: %w", file, i+1, l.Name, err)
		}
		if names[l.Name] {
			return nil, fmt.Errorf("%s: link %q stands there twice", file, l.Name)
		}
		if other := ports[l.Port()]; other != "" {
			return nil, fmt.Errorf("%s: links %s and %s both listen on port %d", file, other, l.Name, l.Port())
		}
		names[l.Name], ports[l.Port()] = true, l.Name
		links[i].Unavailable = whyOff(all, l.Service())
	}
	if len(links) == 0 {
		return nil, fmt.Errorf("%s holds no link", file)
	}
	return links, nil
}

func checkLink(l Link, all services) error {
	if from, to, ok := strings.Cut(l.Name, "-"); !ok || from == "" || to == "" {
		return fmt.Errorf("a link is named by its two ends, like client-primary")
	}
	for what, address := range map[string]string{"listen": l.Listen, "upstream": l.Upstream} {
		_, port, err := net.SplitHostPort(address)
		if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 1 || n > 65535 {
			return fmt.Errorf("%s is %q; host:port is needed", what, address)
		}
	}
	return checkService(l.Service(), all)
}
