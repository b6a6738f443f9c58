package topology

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// Docker is the engine's API, through the lab's proxy of it, which lets through no more than the lab needs
// (configs/haproxy/docker-proxy.cfg).
type Docker struct {
	URL     string // such as http://docker-proxy:2375
	Project string // Compose's, which names of containers and networks begin with
}

// LabDocker leads to the containers of this lab.
func LabDocker() Docker {
	return Docker{URL: "http://docker-proxy:2375", Project: os.Getenv("COMPOSE_PROJECT_NAME")}
}

// Container is the name of a service's container.
func (d Docker) Container(service string) string { return d.Project + "-" + service + "-1" }

// A RefusedError is an answer of Docker, or of the proxy, that isn't a success. Said is its beginning.
type RefusedError struct{ Path, Status, Said string }

func (e *RefusedError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("docker refuses %s: %s %s", e.Path, e.Status, e.Said))
}

// Ask sends one request, with body as JSON unless it is nil, and returns the answer. Where that is no success, the
// error is a *RefusedError.
func (d Docker) Ask(ctx context.Context, method, path string, body any) ([]byte, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, d.URL+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask Docker: %w", err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err == nil && response.StatusCode >= http.StatusMultipleChoices {
		err = &RefusedError{path, response.Status, strings.TrimSpace(string(answer[:min(len(answer), 1000)]))}
	}
	return answer, err
}
