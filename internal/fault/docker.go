package fault

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"pooler-lab/internal/topology"
)

// docker has Docker do to the PostgreSQL nodes' containers what the lab's proxy of its API lets through, and no more
// (configs/haproxy/haproxy.cfg): the bodies are compared there to the byte.
type docker struct {
	url      string // such as http://docker-stats:2375
	project  string // Compose's, which names of containers and networks begin with
	network  string // the first three numbers of the network's addresses
	requests http.Client
}

func newDocker() docker {
	return docker{url: topology.DockerURL, project: os.Getenv("COMPOSE_PROJECT_NAME"),
		network: os.Getenv("LAB_NETWORK"), requests: http.Client{Timeout: 30 * time.Second}}
}

// pause stops all processes of a node where they are.
func (d *docker) pause(ctx context.Context, node string) error {
	return d.post(ctx, "/containers/"+d.container(node)+"/pause", nil)
}

// resume lets them go on.
func (d *docker) resume(ctx context.Context, node string) error {
	return d.post(ctx, "/containers/"+d.container(node)+"/unpause", nil)
}

// restart ends all processes of a node at once, frozen ones too, and starts it anew with a network stack of its own.
func (d *docker) restart(ctx context.Context, node string) error {
	return d.post(ctx, "/containers/"+d.container(node)+"/restart?t=0", nil)
}

// An attachment is a container on a network. Its fields are in the order that the proxy wants.
type attachment struct {
	Container string
	Endpoint  *endpoint `json:"EndpointConfig,omitempty"`
}

type endpoint struct {
	IPAM    ipam `json:"IPAMConfig"`
	Aliases []string
}

type ipam struct {
	Address string `json:"IPv4Address"`
}

// unplug takes a node off the lab's network.
func (d *docker) unplug(ctx context.Context, node string) error {
	return d.post(ctx, "/networks/"+d.project+"_default/disconnect", &attachment{Container: d.container(node)})
}

// plug puts it back, at its own address (compose.yaml).
func (d *docker) plug(ctx context.Context, node string) error {
	address := d.network + map[string]string{topology.PrimaryNode: ".11", topology.StandbyNode: ".12"}[node]
	return d.post(ctx, "/networks/"+d.project+"_default/connect",
		&attachment{d.container(node), &endpoint{ipam{address}, []string{node}}})
}

func (d *docker) container(node string) string { return d.project + "-" + node + "-1" }

// alreadySo is what Docker says of a container that is as it is to be: something else has done it, or undone it.
var alreadySo = []string{"is already paused", "is not paused", "is not connected to", "already exists in network"}

// post sends one request; its errors say what Docker said.
func (d *docker) post(ctx context.Context, path string, body any) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := d.requests.Do(request)
	if err != nil {
		return fmt.Errorf("ask Docker: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode < 300 {
		return nil
	}
	said, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
	for _, so := range alreadySo {
		if bytes.Contains(said, []byte(so)) {
			return nil
		}
	}
	return fmt.Errorf("docker refuses %s: %s %s", path, response.Status, strings.TrimSpace(string(said)))
}
