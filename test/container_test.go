package test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pooler-lab/test/testkit"
)

// A port that something listens on is no source of a connection: once its listener has closed, as that of a link that
// is cut, it could otherwise be taken.
func TestPortsOfListenersAreNoSources(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, service := range services(t) {
		if service == "yugabyte" {
			continue
		}
		var low, high int
		fields := inside(t, service, "cat", "/proc/sys/net/ipv4/ip_local_port_range")
		if _, err := fmt.Sscan(fields, &low, &high); err != nil {
			t.Fatal(err)
		}
		for _, port := range listening(t, service) {
			if checked++; port >= low && port <= high {
				t.Errorf("%s listens on port %d, and connects from ports %d to %d", service, port, low, high)
			}
		}
	}
	if checked < 15 {
		t.Errorf("found only %d ports that something listens on", checked)
	}
}

// listening are the ports on which something listens in a service's container, Docker's own resolver left out.
func listening(t *testing.T, service string) []int {
	t.Helper()
	const listen, resolver = "0A", "0B00007F"
	var ports []int
	for line := range strings.Lines(inside(t, service, "cat", "/proc/net/tcp", "/proc/net/tcp6")) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[3] != listen {
			continue
		}
		address, port, _ := strings.Cut(fields[1], ":")
		number, err := strconv.ParseInt(port, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		if address != resolver {
			ports = append(ports, int(number))
		}
	}
	return ports
}

// A k6 script may call a service over TLS: the container has Debian's certificates, and those of the host.
func TestCertificatesAreThere(t *testing.T) {
	t.Parallel()
	const count = `cat /etc/ssl/certs/ca-certificates.crt | grep -c 'BEGIN CERTIFICATE'; test -r "$SSL_CERT_FILE"; echo $?`
	said := strings.Fields(inside(t, "lab", "sh", "-c", count))
	if len(said) != 2 || len(said[0]) < 2 || said[1] != "0" {
		t.Errorf("certificates in the bundle, and whether the host's can be read: %v", said)
	}
}

// Each image has the licences of the programs in it that Debian doesn't package.
func TestImagesHoldTheirLicences(t *testing.T) {
	t.Parallel()
	for file, service := range map[string]string{
		"pooler-lab/LICENSE":                                        "lab",
		"pooler-lab/modules/go.k6.io/k6/v2/LICENSE.md":              "lab",
		"pooler-lab/modules/github.com/jackc/pgx/v5/LICENSE":        "lab",
		"toxiproxy/modules/github.com/Shopify/toxiproxy/v2/LICENSE": "toxiproxy",
		"pgbouncer/copyright":                                       "pgbouncer",
	} {
		if text := inside(t, service, "cat", "/usr/share/doc/"+file); len(text) < 500 {
			t.Errorf("%s of %s has %d bytes", file, service, len(text))
		}
	}
}

// A container's environment holds passwords; its description beside that, its log and its processes' command lines
// don't, while tools are at work in it too.
func TestPasswordsShowNowhere(t *testing.T) {
	secrets := map[string]string{}
	for _, role := range []string{"lab", "app", "app_clear", "monitor", "replication", "ysql"} {
		secrets[role] = password(role)
	}
	bench := start(t, "pgbench", "pgbouncer-transaction", "-n", "-S", "-c", "2", "-T", "3600")
	psql := start(t, "psql", "direct", "-c", "SELECT pg_sleep(3600)")
	t.Cleanup(func() { stopTools(t, bench, psql) })
	testkit.Eventually(t, func() string {
		if lines := commandLines(t, "lab"); !strings.Contains(lines, "pgbench ") || !strings.Contains(lines, "psql ") {
			return "psql and pgbench aren't at work:\n" + lines
		}
		return ""
	})
	for _, service := range composed(t) {
		description := docker(t, "inspect", container(service))
		environment := docker(t, "inspect", "-f", "{{range .Config.Env}}{{println .}}{{end}}", container(service))
		for variable := range strings.Lines(environment) {
			description = strings.Replace(description, `"`+strings.TrimSpace(variable)+`"`, "", 1)
		}
		for where, text := range map[string]string{
			"description":   description,
			"log":           command(t, nil, "docker", "logs", container(service)).all(),
			"command lines": commandLines(t, service),
			"image": docker(t, "history", "--no-trunc", "--format", "{{.CreatedBy}}",
				docker(t, "inspect", "-f", "{{.Image}}", container(service))),
		} {
			for name, secret := range secrets {
				if strings.Contains(text, secret) {
					t.Errorf("the password of %s shows in the %s of %s", name, where, service)
				}
			}
		}
	}
}

// commandLines are those of all processes that a service's container sees, of containers beside it too.
func commandLines(t testing.TB, service string) string {
	t.Helper()
	return inside(t, service, "sh", "-c",
		`for f in /proc/[0-9]*/cmdline; do tr '\0' ' ' <"$f"; echo; done 2>/dev/null; true`)
}
