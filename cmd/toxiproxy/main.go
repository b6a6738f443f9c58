// toxiproxy-server is toxiproxy with one toxic more, wan (internal/wan). Each link of its configuration has it from the
// start, on both directions and with nothing set. From then on it is only changed: open connections feel each change
// and go on.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/collectors"

	"pooler-lab/internal/wan"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "toxiproxy-server:", err)
		os.Exit(1)
	}
}

// serve runs toxiproxy until it is told to end. Its options are those of toxiproxy's own server that the lab uses.
func serve() error {
	host := flag.String("host", "localhost", "where the API listens")
	port := flag.String("port", "8474", "the API's port")
	config := flag.String("config", "", "a JSON file of links")
	metrics := flag.Bool("runtime-metrics", false, "metrics of the process")
	flag.Parse()

	level, err := zerolog.ParseLevel(cmp.Or(os.Getenv("LOG_LEVEL"), "error"))
	if err != nil {
		return fmt.Errorf("LOG_LEVEL: %w", err)
	}
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()),
		zerolog.New(os.Stdout).Level(level).With().Timestamp().Logger())
	if *metrics {
		server.Metrics.RuntimeMetrics = collectors.NewRuntimeMetricCollectors()
	}
	rounds, err := calibrate(server)
	if err != nil {
		return err
	}
	for _, r := range rounds {
		fmt.Printf("toxiproxy: a round trip of %v takes %v more by itself: that is taken off\n", r.Told, r.Late)
	}
	if *config != "" {
		server.PopulateConfig(*config)
	}
	for _, link := range server.Collection.Proxies() {
		if err := install(link, 0); err != nil {
			return err
		}
	}

	failed := make(chan error, 1)
	go func() { failed <- server.Listen(net.JoinHostPort(*host, *port)) }()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	select {
	case err := <-failed:
		return err
	case <-signals:
		return server.Shutdown()
	}
}

// install puts a wan on both directions of a link, with that latency on each.
func install(link *toxiproxy.Proxy, latency time.Duration) error {
	for _, direction := range []string{"upstream", "downstream"} {
		toxic := fmt.Sprintf(`{"type": %q, "stream": %q, "attributes": {"latency_us": %d}}`, wan.Type, direction,
			latency.Microseconds())
		if _, err := link.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			return fmt.Errorf("link %s: %w", link.Name, err)
		}
	}
	return nil
}
