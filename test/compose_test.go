package test

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// service is what is checked of a service's definition, as Compose resolves it.
type service struct {
	Image       string
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	SecurityOpt []string `yaml:"security_opt"`
	Privileged  bool
	CPUs        float64 `yaml:"cpus"`
	MemLimit    string  `yaml:"mem_limit"`
	Command     []string
	Environment map[string]string
	Profiles    []string
	Healthcheck *struct{ Test []string }
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Ports       []struct {
		HostIP string `yaml:"host_ip"`
		Target int
	}
	Volumes []struct {
		Source, Target string
		ReadOnly       bool `yaml:"read_only"`
	}
}

// compose.yaml as Compose resolves it without a word, with every profile on, in a checkout whose folder has spaces in
// its name.
func TestComposeFile(t *testing.T) {
	t.Parallel()
	checkout := folderWithSpaces(t)
	if a := command(t, nil, "cp", "-r", "compose.yaml", ".env", "configs", "scripts", "images", checkout); a.status != 0 {
		t.Fatal(a.all())
	}
	a := command(t, nil, checkout+"/scripts/compose", "--profile", "*", "config")
	var all struct{ Services map[string]service }
	if err := yaml.Unmarshal([]byte(a.out), &all); err != nil || a.status != 0 || a.err != "" || len(all.Services) < 9 {
		t.Fatalf("%d services, %v, exit status %d\n%s", len(all.Services), err, a.status, a.err)
	}
	configs := 0
	for name, s := range all.Services {
		t.Run(name, func(t *testing.T) { configs += s.checkNeeds(t, name, checkout+"/configs") })
	}
	if configs == 0 {
		t.Errorf("no service has a volume of %s/configs", checkout)
	}
	for _, name := range []string{"standby", "pgbouncer", "pgpool", "pgpool-near-app", "haproxy", "odyssey"} {
		if one, other := all.Services["primary"], all.Services[name]; one.CPUs == 0 || one.CPUs != other.CPUs ||
			one.MemLimit == "" || one.MemLimit != other.MemLimit {
			t.Errorf("primary has %v CPUs and %s, %s has %v and %s", one.CPUs, one.MemLimit, name, other.CPUs, other.MemLimit)
		}
	}
	// libpq asks for TLS unless it is told otherwise, and PgBouncer would give it to its own health check.
	if mode := all.Services["pgbouncer"].Environment["PGSSLMODE"]; mode != "disable" {
		t.Errorf("PGSSLMODE is %q, wanted disable", mode)
	}
	t.Run("YugabyteDB's own", func(t *testing.T) { checkYugabyte(t, all.Services["yugabyte"]) })
}

// checkNeeds wants a service to hold only what it needs, and counts its volumes of the folder configs.
func (s service) checkNeeds(t *testing.T, name, configs string) (read int) {
	t.Helper()
	if !strings.Contains(strings.Join(s.SecurityOpt, " "), "no-new-privileges") || s.Privileged {
		t.Error("may gain privileges")
	}
	if name != "yugabyte" && (!s.ReadOnly || strings.Join(s.CapDrop, " ") != "ALL") {
		t.Errorf("read-only root: %v, capabilities dropped: %v; wanted true, ALL", s.ReadOnly, s.CapDrop)
	}
	for _, port := range s.Ports {
		link, console := name == "toxiproxy" && port.Target != 8474, name == "lab" && port.Target == 8080
		if port.HostIP != "127.0.0.1" || !link && !console {
			t.Errorf("publishes port %d on %q: only links and the console are published, on 127.0.0.1", port.Target, port.HostIP)
		}
	}
	for _, volume := range s.Volumes {
		if strings.HasSuffix(volume.Source, ".sock") && name != "docker-proxy" {
			t.Errorf("has Docker's socket %s: the allow-list proxy alone may", volume.Source)
		}
		if strings.HasPrefix(volume.Source, configs) {
			if read++; !volume.ReadOnly {
				t.Errorf("may write to %s", volume.Source)
			}
		}
	}
	for other, needs := range s.DependsOn {
		if other == "yugabyte" || needs.Condition == "" {
			t.Errorf("depends on %s, condition %q", other, needs.Condition)
		}
	}
	if strings.HasSuffix(s.Image, ":latest") {
		t.Errorf("image %s has no version", s.Image)
	}
	return read
}

// checkYugabyte checks YugabyteDB's definition as far as it can without its image.
func checkYugabyte(t *testing.T, s service) {
	t.Helper()
	said := strings.Join(s.Command, " ")
	for _, part := range []string{"--ysql_enable_auth=true", "memory_limit_hard_bytes", "rm -rf /tmp/.yb"} {
		if !strings.Contains(said, part) {
			t.Errorf("its command lacks %q:\n%s", part, said)
		}
	}
	if s.Environment["YSQL_PASSWORD"] != password("ysql") || strings.Contains(said, "PASSWORD") {
		t.Error("its password belongs in the environment, and only there")
	}
	if s.Healthcheck == nil || !strings.Contains(strings.Join(s.Healthcheck.Test, " "), "SELECT 1") {
		t.Errorf("its health check asks no query: %v", s.Healthcheck)
	}
	if strings.Join(s.Profiles, " ") != "yugabyte" || len(s.Ports) > 0 || len(s.Volumes) != 1 {
		t.Errorf("profiles %v, ports %v, volumes %v", s.Profiles, s.Ports, s.Volumes)
	}
}
