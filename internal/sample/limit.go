package sample

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// A Limit is what a container may use of the machine. 0 is no limit.
type Limit struct {
	CPUs        float64
	MemoryBytes int64
}

// ReadLimit asks Docker, through the stats proxy at url, for the limits of a service's container in a Compose project.
func ReadLimit(ctx context.Context, url, project, service string) (Limit, error) {
	url = fmt.Sprintf("%s/containers/%s-%s-1/limits", url, project, service)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return Limit{}, fmt.Errorf("ask for the limits of %s: %w", service, err)
	}
	client := http.Client{Timeout: askTimeout}
	response, err := client.Do(request)
	if err != nil {
		return Limit{}, fmt.Errorf("ask for the limits of %s: %w", service, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return Limit{}, fmt.Errorf("ask for the limits of %s: %s", service, response.Status)
	}
	// Docker's own names, of which configs/haproxy lets these through. A CPU limit is one number, or a quota of
	// microseconds in each period.
	var said struct{ NanoCPUs, CPUQuota, CPUPeriod, Memory json.Number }
	if err := json.NewDecoder(response.Body).Decode(&said); err != nil {
		return Limit{}, fmt.Errorf("read the limits of %s: %w", service, err)
	}
	number := func(n json.Number) float64 {
		v, _ := strconv.ParseFloat(n.String(), 64)
		return v
	}
	limit := Limit{CPUs: number(said.NanoCPUs) / 1e9, MemoryBytes: int64(number(said.Memory))}
	if period := number(said.CPUPeriod); limit.CPUs == 0 && period > 0 {
		limit.CPUs = max(0, number(said.CPUQuota)/period)
	}
	return limit, nil
}
