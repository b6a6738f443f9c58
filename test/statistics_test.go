package test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

var statusLine = regexp.MustCompile(`(?m)^HTTP/1\.[01] (\d{3})`)

// ask sends bytes from the lab's container to the allow-list proxy and returns all that came back.
func ask(t *testing.T, request string) string {
	t.Helper()
	const talk = `exec 3<>/dev/tcp/docker-stats/2375 && printf '%s' "$1" >&3 && timeout 60 cat <&3`
	return command(t, nil, "docker", "exec", container("lab"), "bash", "-c", talk, "bash", request).out
}

// request is a whole HTTP request; the connection ends after its answer.
func request(line string, headers ...string) string {
	return strings.Join(append([]string{line + " HTTP/1.1", "Host: docker-stats", "Connection: close"}, headers...),
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

func TestStatisticsAnswerTheOneQuestion(t *testing.T) {
	t.Parallel()
	for _, service := range []string{"primary", "standby", "pgbouncer", "pgpool", "pgpool-near-app", "toxiproxy", "lab",
		"docker-stats"} {
		t.Run(service, func(t *testing.T) {
			t.Parallel() // Docker takes up to a second for each
			answer := ask(t, request("GET /containers/"+container(service)+"/stats"+statsQuery))
			for _, part := range []string{`"name":"/` + container(service) + `"`, "throttling_data", "memory_stats"} {
				if statuses(answer) != "200" || !strings.Contains(answer, part) {
					t.Errorf("status %s, wanted 200 with %s", statuses(answer), part)
				}
			}
		})
	}
}

// A container's limits are four numbers, out of a definition that holds passwords.
func TestStatisticsAnswerTheLimits(t *testing.T) {
	t.Parallel()
	for service, has := range map[string]bool{"primary": true, "pgbouncer": true, "pgpool": true, "toxiproxy": false} {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			answer := ask(t, request("GET /containers/"+container(service)+"/limits"))
			_, body, _ := strings.Cut(answer, "\r\n\r\n")
			said := map[string]int64{}
			if err := json.Unmarshal([]byte(body), &said); err != nil || statuses(answer) != "200" || len(said) != 4 {
				t.Fatalf("status %s, %v: %s", statuses(answer), err, body)
			}
			if (said["NanoCPUs"] > 0) != has || (said["Memory"] > 0) != has {
				t.Errorf("the limits are %v", said)
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
	stats := "/containers/" + container("primary") + "/stats"
	allowed := stats + statsQuery
	id := docker(t, "inspect", "-f", "{{.Id}}", container("primary"))
	cases := map[string]string{
		"POST":                      request("POST "+allowed, "Content-Length: 0"),
		"PUT":                       request("PUT "+allowed, "Content-Length: 0"),
		"DELETE":                    request("DELETE /containers/" + container("primary")),
		"HEAD":                      request("HEAD " + allowed),
		"OPTIONS":                   request("OPTIONS " + allowed),
		"a method in small letters": request("get " + allowed),
		"the list of containers":    request("GET /containers/json"),
		"all containers":            request("GET /containers/json?all=true"),
		"a container's definition":  request("GET /containers/" + container("primary") + "/json"),
		"limits with a query":       request("GET /containers/" + container("primary") + "/limits?size=1"),
		"a slash behind limits":     request("GET /containers/" + container("primary") + "/limits/"),
		"limits of another project": request("GET /containers/other-lab-primary-1/limits"),
		"limits by POST":            request("POST /containers/"+container("primary")+"/limits", "Content-Length: 0"),
		"dots behind limits":        request("GET /containers/" + container("primary") + "/limits/../json"),
		"limits of limits":          request("GET /containers/" + container("primary") + "/limits/limits"),
		"a container's log":         request("GET /containers/" + container("primary") + "/logs?stdout=1"),
		"a container's files":       request("GET /containers/" + container("primary") + "/archive?path=/"),
		"a container by its id":     request("GET /containers/" + id + "/stats" + statsQuery),
		"another project":           request("GET /containers/other-lab-primary-1/stats" + statsQuery),
		"another copy":              request("GET /containers/" + project + "-primary-2/stats" + statsQuery),
		"another service":           request("GET /containers/" + project + "-stand-in-1/stats" + statsQuery),
		"engine":                    request("GET /info"),
		"version":                   request("GET /version"),
		"images":                    request("GET /images/json"),
		"root":                      request("GET /"),
		"the API's version before":  request("GET /v1.41" + allowed),
		"no query":                  request("GET " + stats),
		"a stream":                  request("GET " + stats + "?stream=true&one-shot=true"),
		"a stream as well":          request("GET " + allowed + "&stream=true"),
		"half the query":            request("GET " + stats + "?stream=false"),
		"another order":             request("GET " + stats + "?one-shot=true&stream=false"),
		"an encoded slash":          request("GET /containers%2f" + container("primary") + "/stats" + statsQuery),
		"an encoded letter": request("GET /containers/" +
			strings.Replace(container("primary"), "primary", "%70rimary", 1) + "/stats" + statsQuery),
		"dots":                       request("GET /containers/x/../" + container("primary") + "/stats" + statsQuery),
		"dots behind":                request("GET " + stats + "/../json" + statsQuery),
		"encoded dots":               request("GET " + stats + "/%2e%2e/json" + statsQuery),
		"two slashes":                request("GET /" + allowed),
		"a slash behind":             request("GET " + stats + "/" + statsQuery),
		"a line feed, encoded":       request("GET " + stats + "%0a" + statsQuery),
		"an upgrade to a web socket": request("GET "+allowed, "Connection: Upgrade", "Upgrade: websocket"),
		"an upgrade":                 request("GET "+allowed, "Upgrade: tcp"),
		"a body":                     request("GET "+allowed, "Content-Length: 4") + "test",
		"a body in chunks":           request("GET "+allowed, "Transfer-Encoding: chunked") + "4\r\ntest\r\n0\r\n\r\n",
		"another host's list":        request("GET http://docker/containers/json"),
		"a tunnel":                   request("CONNECT docker:2375"),
	}
	for name, bytes := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := ask(t, bytes)
			if got := statuses(answer); got != "403" && got != "400" {
				t.Errorf("status %q, wanted 403 or 400\n%.300s", got, answer)
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
		a := command(t, nil, "docker", "exec", container(service), "bash", "-c", "exec 3<>/dev/tcp/docker-stats/2375")
		if a.status == 0 || !strings.Contains(a.all(), "docker-stats") {
			t.Errorf("%s: exit status %d, %s; wanted that it doesn't find docker-stats", service, a.status, a.all())
		}
	}
	if internal := docker(t, "network", "inspect", "-f", "{{.Internal}}", project+"_statistics"); internal != "true" {
		t.Errorf("the network of docker-stats: internal is %s, wanted true", internal)
	}
	if ports := docker(t, "port", container("docker-stats")); ports != "" {
		t.Errorf("docker-stats is published at %s", ports)
	}
}
