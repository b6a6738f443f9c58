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
	}
	Volumes []struct {
		Source, Target string
		ReadOnly       bool `yaml:"read_only"`
	}
}

// definition is compose.yaml as Compose resolves it, with every profile on.
func definition(t *testing.T) map[string]service {
	t.Helper()
	var all struct{ Services map[string]service }
	if err := yaml.Unmarshal([]byte(script(t, "compose", "--profile", "yugabyte", "config")), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Services) < 9 {
		t.Fatalf("only %d services", len(all.Services))
	}
	return all.Services
}

func TestComposeFileIsClean(t *testing.T) {
	t.Parallel()
	if a := command(t, nil, root+"/scripts/compose", "config", "-q"); a.status != 0 || a.all() != "" {
		t.Errorf("exit status %d\n%s", a.status, a.all())
	}
}

func TestServicesHoldOnlyWhatTheyNeed(t *testing.T) {
	t.Parallel()
	for name, s := range definition(t) {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(strings.Join(s.SecurityOpt, " "), "no-new-privileges") || s.Privileged {
				t.Error("may gain privileges")
			}
			if name != "yugabyte" && (!s.ReadOnly || strings.Join(s.CapDrop, " ") != "ALL") {
				t.Errorf("read-only root: %v, capabilities dropped: %v; wanted true, ALL", s.ReadOnly, s.CapDrop)
			}
			for _, port := range s.Ports {
				if name != "toxiproxy" && name != "lab" || port.HostIP != "127.0.0.1" {
					t.Errorf("publishes a port on %q: only links and the console are published, on 127.0.0.1", port.HostIP)
				}
			}
			for _, volume := range s.Volumes {
				if strings.HasSuffix(volume.Source, ".sock") && name != "docker-stats" {
					t.Errorf("has Docker's socket %s: the allow-list proxy alone may", volume.Source)
				}
				if strings.HasPrefix(volume.Source, root+"/configs") && !volume.ReadOnly {
					t.Errorf("may write to %s", volume.Source)
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
		})
	}
}

// libpq asks for TLS unless it is told otherwise, and PgBouncer would give it to its own health check.
func TestHealthCheckOfPgBouncerUsesNoTLS(t *testing.T) {
	t.Parallel()
	if mode := definition(t)["pgbouncer"].Environment["PGSSLMODE"]; mode != "disable" {
		t.Errorf("PGSSLMODE is %q, wanted disable", mode)
	}
}

func TestLimitsAreEqual(t *testing.T) {
	t.Parallel()
	services := definition(t)
	for _, name := range []string{"standby", "pgbouncer", "pgpool", "pgpool-near-app"} {
		if one, other := services["primary"], services[name]; one.CPUs == 0 || one.CPUs != other.CPUs || one.MemLimit == "" ||
			one.MemLimit != other.MemLimit {
			t.Errorf("primary has %v CPUs and %s, %s has %v and %s", one.CPUs, one.MemLimit, name, other.CPUs, other.MemLimit)
		}
	}
}

// YugabyteDB's definition as far as it can be checked without its image.
func TestYugabyteIsDefined(t *testing.T) {
	t.Parallel()
	s := definition(t)["yugabyte"]
	if want := strings.TrimSpace(script(t, "setting", "LAB_YUGABYTE_IMAGE")); s.Image != want ||
		!strings.Contains(want, ":2025.2.") {
		t.Errorf("image %q, .env says %q", s.Image, want)
	}
	if s.CPUs != 2 || s.MemLimit != "3221225472" {
		t.Errorf("%v CPUs and %s bytes, .env says 2 and 3g", s.CPUs, s.MemLimit)
	}
	said := strings.Join(s.Command, " ")
	for _, part := range []string{"yugabyted start", "--background=false", "--advertise_address=yugabyte",
		"--ysql_enable_auth=true", "memory_limit_hard_bytes", "rm -rf /tmp/.yb"} {
		if !strings.Contains(said, part) {
			t.Errorf("its command lacks %q:\n%s", part, said)
		}
	}
	password := strings.TrimSpace(script(t, "setting", "YSQL_PASSWORD"))
	if s.Environment["YSQL_PASSWORD"] != password || strings.Contains(said, "PASSWORD") {
		t.Error("its password belongs in the environment, and only there")
	}
	if s.Healthcheck == nil || !strings.Contains(strings.Join(s.Healthcheck.Test, " "), "SELECT 1") {
		t.Errorf("its health check asks no query: %v", s.Healthcheck)
	}
	if strings.Join(s.Profiles, " ") != "yugabyte" || len(s.Ports) > 0 || len(s.Volumes) != 1 {
		t.Errorf("profiles %v, ports %v, volumes %v", s.Profiles, s.Ports, s.Volumes)
	}
}
