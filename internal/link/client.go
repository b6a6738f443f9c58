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
	api   string
	links []string // those that it reads
	http  *http.Client
}

// How long toxiproxy may take to change a link, and to tell what one is. It takes milliseconds, unless the link is
// stalled.
const changeWait, readWait = 5 * time.Second, 2 * time.Second

// An UnreachableError says that toxiproxy itself doesn't answer.
type UnreachableError struct {
	api   string
	cause error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("toxiproxy doesn't answer at %s; is the lab up? %v", e.api, e.cause)
}

func (e *UnreachableError) Unwrap() error { return e.cause }

// APIError is toxiproxy's refusal of a request.
type APIError struct {
	Status  int // HTTP's
	Message string
}

func (e *APIError) Error() string { return fmt.Sprintf("toxiproxy: %s (HTTP %d)", e.Message, e.Status) }

// A StalledError says that toxiproxy answers, but not for this link. It changes a link only once each connection over
// it has passed on what it holds. A client that has stopped reading holds that up, and whoever asks for the link waits.
type StalledError struct {
	Link  string
	begun bool // a change, which toxiproxy doesn't give up
}

func (e *StalledError) Error() string {
	text := "toxiproxy waits for a client of link " + e.Link + " that has stopped reading. Let that client read on"
	if e.begun {
		text += ": the change that was begun takes effect then"
	}
	return text + ". If it is gone, restart toxiproxy (scripts/compose restart toxiproxy), which takes everything off " +
		"all links"
}

func isStalled(err error) bool {
	var stalled *StalledError
	return errors.As(err, &stalled)
}

// A missingError says that toxiproxy doesn't have a link.
type missingError struct{ link string }

func (e *missingError) Error() string {
	return "toxiproxy has no link " + e.link + ": 'scripts/latency off " + e.link + "' makes it anew"
}

// New returns a client of the toxiproxy at apiURL, such as http://toxiproxy:8474, that reads these links. It doesn't
// connect yet.
func New(apiURL string, links ...string) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = max(http.DefaultMaxIdleConnsPerHost, len(links))
	return &Client{api: strings.TrimSuffix(apiURL, "/"), links: links, http: &http.Client{Transport: transport}}
}

// APIURL returns where toxiproxy's API is: $LAB_TOXIPROXY_URL, or its address in the lab's own network.
func APIURL() string {
	if address := os.Getenv("LAB_TOXIPROXY_URL"); address != "" {
		return address
	}
	return "http://toxiproxy:8474"
}

// Proxy reads one link. A StalledError says that it is stalled, an UnreachableError that toxiproxy is away.
func (c *Client) Proxy(ctx context.Context, link string) (Proxy, error) {
	var p Proxy
	err := c.ask(ctx, link, http.MethodGet, "", nil, &p)
	var refused *APIError
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		err = &missingError{link}
	}
	return p, err
}

func (c *Client) enable(ctx context.Context, link string, enabled bool) error {
	return c.ask(ctx, link, http.MethodPatch, "", map[string]bool{"enabled": enabled}, nil)
}

// ask sends a request about one link. No answer means that the link is stalled, if toxiproxy answers otherwise.
func (c *Client) ask(ctx context.Context, link, method, what string, in, out any) error {
	wait := changeWait
	if method == http.MethodGet {
		wait = readWait
	}
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	err := c.do(limited, method, "/proxies/"+url.PathEscape(link)+what, in, out)
	if errors.Is(err, context.DeadlineExceeded) && c.answers(ctx) {
		return &StalledError{Link: link, begun: method != http.MethodGet}
	}
	return err
}

// answers reports whether toxiproxy answers what concerns no link.
func (c *Client) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readWait)
	defer cancel()
	return c.do(ctx, http.MethodGet, version, nil, nil) == nil
}

const version = "/version"

// Version is toxiproxy's own.
func (c *Client) Version(ctx context.Context) (string, error) {
	var said struct{ Version string }
	err := c.do(ctx, http.MethodGet, version, nil, &said)
	return said.Version, err
}

// do sends one request and reads its answer into out, unless that is nil.
func (c *Client) do(ctx context.Context, method, path string, in, out any) error {
	data, err := c.send(ctx, method, path, in)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("read toxiproxy's answer: %w", err)
	}
	return nil
}

// send sends one request and returns its answer.
func (c *Client) send(ctx context.Context, method, path string, in any) ([]byte, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("write a request to toxiproxy: %w", err)
		}
		body = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.api+path, body)
	if err != nil {
		return nil, fmt.Errorf("write a request to toxiproxy: %w", err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, &UnreachableError{c.api, errors.Unwrap(err)} // without the method and address that net/http says first
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read toxiproxy's answer: %w", err)
	}
	if response.StatusCode >= 300 {
		return nil, refusal(response.StatusCode, data)
	}
	return data, nil
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
