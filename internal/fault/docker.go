package fault

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"pooler-lab/internal/topology"
)

// docker has Docker do to the PostgreSQL nodes' containers what the lab's proxy of its API lets through, and no more
// (configs/haproxy/docker-proxy.cfg): the bodies are compared there to the byte.
type docker struct {
	topology.Docker
	network string // the first three numbers of the network's addresses
}

func newDocker() docker { return docker{topology.LabDocker(), os.Getenv("LAB_NETWORK")} }

// pause stops all processes of a node where they are.
func (d *docker) pause(ctx context.Context, node string) error {
	return d.post(ctx, "/containers/"+d.Container(node)+"/pause", nil)
}

// resume lets them go on.
func (d *docker) resume(ctx context.Context, node string) error {
	return d.post(ctx, "/containers/"+d.Container(node)+"/unpause", nil)
}

// restart ends all processes of a node at once, frozen ones too, and starts it anew with a network stack of its own.
func (d *docker) restart(ctx context.Context, node string) error {
	return d.post(ctx, "/containers/"+d.Container(node)+"/restart?t=0", nil)
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
	return d.post(ctx, "/networks/"+d.Project+"_default/disconnect", &attachment{Container: d.Container(node)})
}

// plug puts it back, at its own address (compose.yaml).
func (d *docker) plug(ctx context.Context, node string) error {
	address := d.network + map[string]string{topology.PrimaryNode: ".11", topology.StandbyNode: ".12"}[node]
	return d.post(ctx, "/networks/"+d.Project+"_default/connect",
		&attachment{d.Container(node), &endpoint{ipam{address}, []string{node}}})
}

// alreadySo is what Docker says of a container that is as it is to be: something else has done it, or undone it.
var alreadySo = []string{"is already paused", "is not paused", "is not connected to", "already exists in network"}

// post sends one request. That something is so already is no error.
func (d *docker) post(ctx context.Context, path string, body any) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	_, err := d.Ask(ctx, http.MethodPost, path, body)
	var refused *topology.RefusedError
	if errors.As(err, &refused) && slices.ContainsFunc(alreadySo, func(so string) bool {
		return strings.Contains(refused.Said, so)
	}) {
		return nil
	}
	return err
}
