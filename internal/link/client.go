// Package link puts latency on the lab's links and measures it. Every link is a proxy of toxiproxy; toxiproxy is
// the truth, and nothing here keeps a copy of what it was told.
package link

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Client speaks to toxiproxy's API. It has its own requests, since those of toxiproxy's client package know no
// context and so no deadline.
type Client struct {
	api  string
	http *http.Client
}

// Proxy is a link as toxiproxy knows it.
type Proxy struct {
	Name     string  `json:"name"`
	Listen   string  `json:"listen"`
	Upstream string  `json:"upstream"`
	Enabled  bool    `json:"enabled"` // false: the link is cut
	Toxics   []Toxic `json:"toxics"`  // each stream's in the order in which they act
}

// Toxic is one fault on one direction of a link.
type Toxic struct {
	Name       string         `json:"name"`
	Type       string         `json:"type"`
	Stream     string         `json:"stream"` // upstream or downstream
	Toxicity   float64        `json:"toxicity"`
	Attributes map[string]any `json:"attributes"`
}

// APIError is toxiproxy's refusal of a request.
type APIError struct {
	Status  int // HTTP's
	Message string
}

func (e *APIError) Error() string { return fmt.Sprintf("toxiproxy: %s (HTTP %d)", e.Message, e.Status) }

// New returns a client of the toxiproxy at apiURL, such as http://toxiproxy:8474. It doesn't connect yet.
func New(apiURL string) *Client {
	return &Client{
		api: strings.TrimSuffix(apiURL, "/"),
		// Above the 25 s after which toxiproxy itself gives up on a request that a stalled connection blocks.
		http: &http.Client{Timeout: 30 * time.Second},
	}
}

// APIURL returns where toxiproxy's API is: $LAB_TOXIPROXY_URL, or its address in the lab's own network.
func APIURL() string {
	if address := os.Getenv("LAB_TOXIPROXY_URL"); address != "" {
		return address
	}
	return "http://toxiproxy:8474"
}

// host returns the host that toxiproxy runs on, for its listeners are there too.
func (c *Client) host() string {
	address, err := url.Parse(c.api)
	if err != nil {
		return c.api
	}
	return address.Hostname()
}

func (c *Client) proxy(ctx context.Context, link string) (Proxy, error) {
	var p Proxy
	err := c.do(ctx, http.MethodGet, proxyURL(link), nil, &p)
	var refused *APIError
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return p, fmt.Errorf(
			"link %s isn't in toxiproxy; restart that service to have it read configs/toxiproxy.json again",
			link,
		)
	}
	return p, err
}

func (c *Client) enable(ctx context.Context, link string, enabled bool) error {
	return c.do(ctx, http.MethodPatch, proxyURL(link), map[string]bool{"enabled": enabled}, nil)
}

func (c *Client) addToxic(ctx context.Context, link string, t Toxic) error {
	return c.do(ctx, http.MethodPost, proxyURL(link)+"/toxics", t, nil)
}

func (c *Client) updateToxic(ctx context.Context, link string, t Toxic) error {
	change := map[string]any{"attributes": t.Attributes, "toxicity": t.Toxicity}
	return c.do(ctx, http.MethodPatch, proxyURL(link)+"/toxics/"+url.PathEscape(t.Name), change, nil)
}

func (c *Client) removeToxic(ctx context.Context, link string, t Toxic) error {
	return c.do(ctx, http.MethodDelete, proxyURL(link)+"/toxics/"+url.PathEscape(t.Name), nil, nil)
}

func proxyURL(link string) string { return "/proxies/" + url.PathEscape(link) }

// do sends one request and reads its answer into out, unless that is nil.
func (c *Client) do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("write a request to toxiproxy: %w", err)
		}
		body = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.api+path, body)
	if err != nil {
		return fmt.Errorf("write a request to toxiproxy: %w", err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("toxiproxy doesn't answer at %s; is the lab up? %w", c.api, withoutURL(err))
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read toxiproxy's answer: %w", err)
	}
	if response.StatusCode >= 300 {
		return refusal(response.StatusCode, data)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("read toxiproxy's answer: %w", err)
	}
	return nil
}

func refusal(status int, answer []byte) error {
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(answer, &said) != nil || said.Error == "" {
		said.Error = strings.ToLower(http.StatusText(status))
	}
	return &APIError{Status: status, Message: said.Error}
}

// withoutURL takes off the method and address that net/http puts before a failure's cause.
func withoutURL(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
