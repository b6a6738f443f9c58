package test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var statusLine = regexp.MustCompile(`(?m)^HTTP/1\.[01] (\d{3})`)

// ask sends bytes from the lab's container to the allow-list proxy and returns all that came back.
func ask(t testing.TB, request string) string {
	t.Helper()
	const talk = `exec 3<>/dev/tcp/docker-proxy/2375 && printf '%s' "$1" >&3 && timeout 60 cat <&3`
	return command(t, nil, "docker", "exec", container("lab"), "bash", "-c", talk, "bash", request).out
}

// request is a whole HTTP request; the connection ends after its answer.
func request(line string, headers ...string) string {
	return strings.Join(append([]string{line + " HTTP/1.1", "Host: docker-proxy", "Connection: close"}, headers...),
		"\r\n") + "\r\n\r\n"
}

func statuses(answer string) string {
	var all []string
	for _, match := range statusLine.FindAllStringSubmatch(answer, -1) {
		all = append(all, match[1])
	}
	return strings.Join(all, " ")
}

const statsQuery = "?stream=false&one-shot=true"

// It tells a container's statistics, and its limits: four numbers, out of a definition that holds passwords.
func TestStatisticsAnswerTwoQuestions(t *testing.T) {
	t.Parallel()
	services := []string{"primary", "standby", "pgbouncer", "pgpool", "pgpool-near-app", "haproxy", "toxiproxy", "lab",
		"docker-proxy"}
	if off(t, "odyssey") == "" {
		services = append(services, "odyssey")
	}
	for _, service := range services {
		t.Run(service, func(t *testing.T) {
			t.Parallel() // Docker takes up to a second for each
			answer := ask(t, request("GET /containers/"+container(service)+"/stats"+statsQuery))
			for _, part := range []string{`"name":"/` + container(service) + `"`, "throttling_data", "memory_stats"} {
				if statuses(answer) != "200" || !strings.Contains(answer, part) {
					t.Errorf("status %s, wanted 200 with %s", statuses(answer), part)
				}
			}
			answer = ask(t, request("GET /containers/"+container(service)+"/limits"))
			_, body, _ := strings.Cut(answer, "\r\n\r\n")
			said := map[string]int64{}
			if err := json.Unmarshal([]byte(body), &said); err != nil || statuses(answer) != "200" || len(said) != 4 {
				t.Fatalf("status %s, %v: %s", statuses(answer), err, body)
			}
			defined := docker(t, "inspect", "-f", "{{.HostConfig.NanoCpus}} {{.HostConfig.Memory}}", container(service))
			if got := fmt.Sprint(said["NanoCPUs"], " ", said["Memory"]); got != defined {
				t.Errorf("it answers %s, the container has %s", got, defined)
			}
		})
	}
}

func TestStatisticsRefuseEverythingElse(t *testing.T) {
	t.Parallel()
	ours := "/containers/" + container("primary")
	stats := ours + "/stats"
	allowed := stats + statsQuery
	requests := []string{
		request("GET "+allowed, "Connection: Upgrade", "Upgrade: websocket"),
		request("GET "+allowed, "Upgrade: tcp"),
		request("POST "+allowed, "Content-Length: 0"),
		request("POST "+ours+"/limits", "Content-Length: 0"),
		request("GET "+allowed, "Content-Length: 4") + "test",
		request("GET "+allowed, "Transfer-Encoding: chunked") + "4\r\ntest\r\n0\r\n\r\n",
	}
	post := func(path, body string, headers ...string) {
		headers = append(headers, fmt.Sprintf("Content-Length: %d", len(body)))
		requests = append(requests, request("POST "+path, headers...)+body)
	}
	network := "/networks/" + project + "_default/"
	body := func(service, more string) string { return `{"Container":"` + container(service) + `"` + more + `}` }
	at := func(address, alias string) string {
		return `,"EndpointConfig":{"IPAMConfig":{"IPv4Address":"` + address + `"},"Aliases":["` + alias + `"]}`
	}
	own := os.Getenv("LAB_NETWORK") + ".11"
	for _, path := range []string{
		"/containers/" + container("pgbouncer") + "/pause", "/containers/" + container("lab") + "/unpause",
		"/containers/other-lab-primary-1/pause", ours + "/kill", ours + "/stop", ours + "/start", ours + "/restart",
		ours + "/update", ours + "/exec", ours + "/restart?t=1", "/containers/" + container("lab") + "/restart?t=0",
		ours + "/restart?t=0&signal=9", ours + "/pause/", ours + "/pause?x=1", "/v1.41" + ours + "/pause",
		"/containers/create", network + "disconnect", network + "connect",
	} {
		post(path, "")
	}
	post(ours+"/pause", "{}")
	post(ours+"/restart?t=0", "{}")
	for _, wrong := range []string{body("pgbouncer", ""), body("primary", `,"Force":true`), body("primary", "") + " ",
		body("primary", at(own, "primary"))} {
		post(network+"disconnect", wrong)
	}
	for _, wrong := range []string{body("primary", ""), body("pgbouncer", at(own, "primary")),
		body("primary", at(own, "pgbouncer")), body("primary", at(os.Getenv("LAB_NETWORK")+".12", "primary")),
		body("standby", at(own, "standby"))} {
		post(network+"connect", wrong)
	}
	post("/networks/"+project+"_statistics/disconnect", body("primary", ""))
	post("/networks/bridge/connect", body("primary", at(own, "primary")))
	post(network+"disconnect", body("primary", ""), "Transfer-Encoding: chunked")
	post(network+"disconnect?x=1", body("primary", ""))
	for _, line := range []string{
		// Another method, target or version of the API.
		"DELETE " + ours, "HEAD " + allowed, "OPTIONS " + allowed, "PUT " + allowed, "get " + allowed,
		"GET http://docker/containers/json", "CONNECT docker:2375", "GET /v1.41" + allowed,
		// Another question.
		"GET /", "GET /info", "GET /version", "GET /images/json", "GET /containers/json", "GET /containers/json?all=true",
		"GET " + ours + "/json", "GET " + ours + "/logs?stdout=1", "GET " + ours + "/archive?path=/",
		// Somebody else's container, or one by its id.
		"GET /containers/other-lab-primary-1/limits", "GET /containers/other-lab-primary-1/stats" + statsQuery,
		"GET /containers/" + project + "-primary-2/stats" + statsQuery,
		"GET /containers/" + project + "-stand-in-1/stats" + statsQuery,
		"GET /containers/" + docker(t, "inspect", "-f", "{{.Id}}", container("primary")) + "/stats" + statsQuery,
		// Another query.
		"GET " + stats, "GET " + stats + "?stream=true&one-shot=true", "GET " + allowed + "&stream=true",
		"GET " + stats + "?stream=false", "GET " + stats + "?one-shot=true&stream=false", "GET " + ours + "/limits?size=1",
		// What may be read as another path.
		"GET /containers%2f" + container("primary") + "/stats" + statsQuery,
		"GET " + strings.Replace(allowed, "primary", "%70rimary", 1),
		"GET /containers/x/../" + container("primary") + "/stats" + statsQuery,
		"GET " + stats + "/../json" + statsQuery, "GET " + stats + "/%2e%2e/json" + statsQuery,
		"GET /" + allowed, "GET " + stats + "/" + statsQuery, "GET " + stats + "%0a" + statsQuery,
		"GET " + ours + "/pause", "GET " + network + "disconnect", "DELETE " + network + "connect",
		"GET " + ours + "/limits/", "GET " + ours + "/limits/../json", "GET " + ours + "/limits/limits",
	} {
		requests = append(requests, request(line))
	}
	for _, bytes := range requests {
		line, _, _ := strings.Cut(bytes, "\r\n")
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			answer := ask(t, bytes)
			if got := statuses(answer); got != "403" && got != "400" {
				t.Errorf("%q: status %q, wanted 403 or 400\n%.300s", bytes, got, answer)
			}
		})
	}
}

// A second request on the same connection is judged by itself.
func TestStatisticsJudgeEachRequest(t *testing.T) {
	t.Parallel()
	first := strings.Replace(request("GET /containers/"+container("lab")+"/stats"+statsQuery), "Connection: close\r\n", "",
		1)
	if got := statuses(ask(t, first+request("GET /containers/json"))); got != "200 403" {
		t.Errorf("statuses %q, wanted 200 for the first and 403 for the second", got)
	}
}

// Only the lab can ask: others can't find the proxy, and its network leads nowhere.
func TestStatisticsAreTheLabsAlone(t *testing.T) {
	t.Parallel()
	for _, service := range []string{"primary", "pgbouncer", "toxiproxy"} {
		a := command(t, nil, "docker", "exec", container(service), "bash", "-c", "exec 3<>/dev/tcp/docker-proxy/2375")
		if a.status == 0 || !strings.Contains(a.all(), "docker-proxy") {
			t.Errorf("%s: exit status %d, %s; wanted that it doesn't find docker-proxy", service, a.status, a.all())
		}
	}
	if internal := docker(t, "network", "inspect", "-f", "{{.Internal}}", project+"_statistics"); internal != "true" {
		t.Errorf("the network of docker-proxy: internal is %s, wanted true", internal)
	}
	if ports := docker(t, "port", container("docker-proxy")); ports != "" {
		t.Errorf("docker-proxy is published at %s", ports)
	}
}
