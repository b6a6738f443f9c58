// toxiproxy-server is toxiproxy with one toxic more, wan (internal/wan), and with links that simulate TCP's handshake.
// Each link of its configuration has a wan from the start, on both directions and with nothing set. From then on it is
// only changed: open connections feel each change and go on.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/collectors"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
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
	config := flag.String("config", "/etc/toxiproxy.json", "a JSON file of links")
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
		fmt.Printf("toxiproxy: a round trip of %v takes %v more by itself: %v are taken off\n", r.Told, r.Late,
			r.TakenOff())
	}
	links, err := readLinks(server, *config)
	if err != nil {
		return err
	}
	api := http.Server{Addr: net.JoinHostPort(*host, *port), Handler: newAPI(server, links),
		ReadTimeout: 15 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute} // as toxiproxy has them
	failed := make(chan error, 1)
	go func() { failed <- api.ListenAndServe() }()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	select {
	case err := <-failed:
		return err
	case <-signals:
		return api.Close()
	}
}

// readLinks makes the links of toxiproxy's configuration, a JSON file, and enables those that aren't to stay disabled.
func readLinks(server *toxiproxy.ApiServer, file string) (links []*link, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the links: %w", err)
	}
	var all []struct {
		Name, Listen, Upstream string
		Enabled                *bool
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read the links of %s: %w", file, err)
	}
	for _, one := range all {
		l, err := newLink(server, one.Name, one.Listen, one.Upstream, 0)
		if err != nil {
			return nil, err
		}
		if err := l.enable(one.Enabled == nil || *one.Enabled); err != nil {
			return nil, err
		}
		links = append(links, l)
	}
	return links, nil
}
