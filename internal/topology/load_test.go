package topology

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pooler-lab/test/testkit"
)

// lab writes the three files that Load reads; the arguments replace their texts.
func lab(t *testing.T, paths, links string) string {
	t.Helper()
	root := t.TempDir()
	testkit.OK(t, os.Mkdir(filepath.Join(root, "configs"), 0o755))
	for name, text := range map[string]string{
		"compose.yaml": "services:\n  toxiproxy: {}\n  pgbouncer: {}\n  primary: {}\n" +
			"  yugabyte: {profiles: [yugabyte]}\n",
		"configs/paths.yaml":     paths,
		"configs/toxiproxy.json": links,
	} {
		testkit.OK(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	return root
}

const goodLinks = `[
  {"name": "client-primary", "listen": "0.0.0.0:15001", "upstream": "primary:5432"},
  {"name": "pgbouncer-primary", "listen": "0.0.0.0:15006", "upstream": "primary:5432"},
  {"name": "client-yugabyte", "listen": "0.0.0.0:15005", "upstream": "yugabyte:5433"}]`

const goodPaths = `
- name: direct
  meaning: nothing between
  database: postgresql
  services: [primary]
  pools: none
  endpoint: {host: primary, port: 5432, dbname: lab}
  over:
    - links: [client-primary]
      endpoint: {host: toxiproxy, port: 15001, dbname: lab}
- name: pooled
  meaning: a pooler
  database: postgresql
  services: [pgbouncer, primary]
  pools: transaction
  pooler: pgbouncer
  endpoint: {host: pgbouncer, port: 6432, dbname: lab}
- name: near
  meaning: a pooler near the application
  database: postgresql
  services: [pgbouncer, primary]
  pools: transaction
  pooler: pgbouncer
  without_latency: pooled
  over:
    - links: [pgbouncer-primary]
      endpoint: {host: pgbouncer, port: 6432, dbname: near}
- name: yugabyte
  meaning: another database
  database: yugabytedb
  services: [yugabyte]
  pools: none
  endpoint: {host: yugabyte, port: 5433, dbname: lab}
`

func TestLoad(t *testing.T) {
	t.Setenv("COMPOSE_PROFILES", "yugabyte,other")
	t.Setenv("LAB_YUGABYTE_OFF", "")
	set, err := Load(lab(t, goodPaths, goodLinks))
	testkit.OK(t, err)
	near, err := set.Find("near")
	testkit.OK(t, err)
	if plain, _ := near.Endpoint(""); plain != (Endpoint{Host: "pgbouncer", Port: 6432, DBName: "lab"}) {
		t.Errorf("near without latency is %v; want pooled's endpoint", plain)
	}
	if over, err := near.Endpoint("pgbouncer-primary"); err != nil || over.DBName != "near" {
		t.Errorf("near over its link: %v, %v", over, err)
	}
	if got := set.PathsOver("client-primary"); !slices.Equal(got, []string{"direct"}) {
		t.Errorf("paths over client-primary: %v", got)
	}
	if poolers := set.Poolers(); len(poolers) != 1 || poolers["pgbouncer"] != "pgbouncer" ||
		near.PoolerService() != "pgbouncer" {
		t.Errorf("the poolers are %v", poolers)
	}
	for _, p := range set.Paths {
		if p.Unavailable != "" {
			t.Errorf("%s is off: %s", p.Name, p.Unavailable)
		}
	}
}

func TestUnavailable(t *testing.T) {
	cases := []struct{ name, profiles, off, want string }{
		{"profile on", "a,yugabyte", "", ""},
		{"every profile on", "*", "", ""},
		{"profile off", "", "", "service yugabyte is off: COMPOSE_PROFILES in .env doesn't name yugabyte"},
		{"a reason given", "", "its image can't be pulled", "its image can't be pulled"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("COMPOSE_PROFILES", c.profiles)
			t.Setenv("LAB_YUGABYTE_OFF", c.off)
			set, err := Load(lab(t, goodPaths, goodLinks))
			testkit.OK(t, err)
			yugabyte, _ := set.Find("yugabyte")
			link, _ := set.Link("client-yugabyte")
			if yugabyte.Unavailable != c.want || link.Unavailable != c.want {
				t.Errorf("got path %q, link %q; want %q", yugabyte.Unavailable, link.Unavailable, c.want)
			}
			if direct, _ := set.Find("direct"); direct.Unavailable != "" || direct.NamedOnly {
				t.Errorf("direct is off: %s", direct.Unavailable)
			}
			if notAsked := c.profiles+c.off == ""; yugabyte.NamedOnly != notAsked {
				t.Errorf("a lesson has to name it: %v", yugabyte.NamedOnly)
			}
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	cases := []struct{ name, old, new, want string }{
		{"unknown field", "pools: none", "pols: none", "line 6: field pols not found in type topology.Path"},
		{"unknown field of an endpoint", "dbname: near", "db: near", "line 27: field db not found"},
		{"no path", goodPaths, "# none", "holds no path"},
		{"unknown service", "services: [primary]", "services: [primery]",
			`path "direct": unknown service "primery": did you mean primary?`},
		{"unknown host", "host: pgbouncer, port: 6432, dbname: lab", "host: pgpool, port: 9999, dbname: lab",
			`path "pooled": endpoint: unknown service "pgpool"`},
		{"unknown host in a list", "host: primary, port", `host: "primary,standbi", port`,
			`path "direct": endpoint: unknown service "standbi"`},
		{"unknown target", "port: 5432, dbname: lab}", "port: 5432, dbname: lab, target_session_attrs: read-wirte}",
			`endpoint: unknown target_session_attrs "read-wirte": did you mean read-write?`},
		{"unknown link", "links: [client-primary]", "links: [client-primry]",
			`path "direct": over: unknown link "client-primry": did you mean client-primary?`},
		{"link's port", "port: 15001", "port: 15002", `configs/toxiproxy.json has that link on 15001`},
		{"twice", "name: pooled", "name: direct", `path "direct" stands there twice`},
		{"unknown database", "database: postgresql", "database: mysql",
			`path "direct": unknown database "mysql": there are postgresql, yugabytedb`},
		{"unknown pooling", "pools: transaction", "pools: query",
			`unknown pools "query": there are none, transaction, session, statement`},
		{"no kind of pooler", "  pooler: pgbouncer\n", "", `path "pooled": pooler is needed`},
		{"a pooler that doesn't pool", "pools: transaction", "pools: none", "pooler is pgbouncer, and pools is none"},
		{"a pooler before nothing", "services: [pgbouncer, primary]", "services: [pgbouncer]",
			`path "pooled": services is needed`},
		{"a service of two kinds", "pooler: pgbouncer\n  without", "pooler: pgpool\n  without",
			`path "near": service pgbouncer is a pooler of kind "pgpool" here and of kind "pgbouncer" on another path`},
		{"no meaning", "meaning: a pooler\n", "meaning: \n", `path "pooled": meaning is needed`},
		{"port no number", "port: 5432", "port: postgres", "cannot unmarshal !!str `postgres` into int"},
		{"no port", "port: 5432, dbname: lab", "dbname: lab", "host, port (1 to 65535) and dbname are needed"},
		{"no endpoint", "  endpoint: {host: pgbouncer, port: 6432, dbname: lab}\n", "",
			`path "pooled": either endpoint or without_latency is needed`},
		{"stands for an unknown path", "without_latency: pooled", "without_latency: poled",
			`unknown path "poled": did you mean pooled?`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(goodPaths, c.old, c.new, 1)
			if text == goodPaths {
				t.Fatalf("%q isn't in the good file", c.old)
			}
			_, err := Load(lab(t, text, goodLinks))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "configs/paths.yaml") {
				t.Errorf("\ngot  %v\nwant %s, and the file", err, c.want)
			}
		})
	}
}

func TestLoadRefusesLinks(t *testing.T) {
	cases := []struct{ name, old, new, want string }{
		{"not JSON", "[", "{", "configs/toxiproxy.json: "},
		{"unknown upstream", "primary:5432", "postgres:5432", `link 1, "client-primary": unknown service "postgres"`},
		{"no port", "primary:5432", "primary", `upstream is "primary"; host:port is needed`},
		{"same port", "15006", "15001", "links client-primary and pgbouncer-primary both listen on port 15001"},
		{"twice", "pgbouncer-primary", "client-primary", `link "client-primary" stands there twice`},
		{"not two ends", "client-primary", "primary", "a link is named by its two ends"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(lab(t, goodPaths, strings.Replace(goodLinks, c.old, c.new, 1)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("\ngot  %v\nwant %s", err, c.want)
			}
		})
	}
}

// The lab's own files, as they stand.
func TestLabsOwnFiles(t *testing.T) {
	set, err := Load("../..")
	testkit.OK(t, err)
	for _, l := range set.Links {
		if len(set.PathsOver(l.Name)) == 0 && l.Name != "primary-standby" {
			t.Errorf("no path goes over %s", l.Name)
		}
	}
}

func TestHostPort(t *testing.T) {
	set, err := Load(lab(t, goodPaths, goodLinks))
	testkit.OK(t, err)
	cases := []struct {
		ports, link string
		want        int
	}{
		{"25001-25010", "client-primary", 25001},
		{"25001-25010", "pgbouncer-primary", 25006},
		{"25001-25003", "pgbouncer-primary", 0},
		{"", "client-primary", 0},
		{"25001-25010", "nowhere", 0},
	}
	for _, c := range cases {
		t.Setenv("LAB_HOST_PORTS", c.ports)
		if got := set.HostPort(c.link); got != c.want {
			t.Errorf("%s of %q is %d, want %d", c.link, c.ports, got, c.want)
		}
	}
}
