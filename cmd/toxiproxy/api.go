package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/gorilla/mux"
)

// newAPI is toxiproxy's, which enables and disables these links as if they were proxies of its own. Where they listen
// and lead to can't be changed.
func newAPI(server *toxiproxy.ApiServer, links []*link) http.Handler {
	routes := server.Routes()
	routes.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err == nil {
				err = follow(mux.CurrentRoute(r).GetName(), mux.Vars(r)["proxy"], body, ofServer(server, links))
			}
			if err != nil {
				refusal, _ := json.Marshal(toxiproxy.ApiError{Message: err.Error(), StatusCode: http.StatusConflict})
				http.Error(w, string(refusal), http.StatusConflict)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
		})
	})
	return routes
}

// ofServer are those links by name that nobody has removed.
func ofServer(server *toxiproxy.ApiServer, links []*link) map[string]*link {
	left := map[string]*link{}
	for _, l := range links {
		if proxy, err := server.Collection.Get(l.proxy.Name); err == nil && proxy == l.proxy {
			left[l.proxy.Name] = l
		}
	}
	return left
}

// follow does to links what a request has toxiproxy do to proxies. toxiproxy then finds that it is so already.
func follow(request, name string, body []byte, links map[string]*link) error {
	link, ours := links[name]
	switch {
	case request == "ProxyUpdate" && ours:
		return link.update(body)
	case request == "ProxyDelete" && ours:
		return link.enable(false)
	case request == "ResetState":
		for _, l := range links {
			if err := l.enable(true); err != nil {
				return err
			}
		}
	case request == "Populate":
		var all []json.RawMessage
		_ = json.Unmarshal(body, &all) // toxiproxy says what is wrong with it
		for _, one := range all {
			var named struct{ Name string }
			if json.Unmarshal(one, &named) == nil && links[named.Name] != nil {
				if _, err := links[named.Name].same(one); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// update enables or disables the link as a request says.
func (l *link) update(body []byte) error {
	enabled, err := l.same(body)
	if err != nil {
		return err
	}
	return l.enable(enabled)
}

// same reads whether a proxy is to be enabled that a request describes. It is an error if that isn't the link.
func (l *link) same(body []byte) (enabled bool, err error) {
	asked := toxiproxy.Proxy{Listen: l.proxy.Listen, Upstream: l.proxy.Upstream, Enabled: l.proxy.Enabled}
	if json.Unmarshal(body, &asked) != nil {
		return l.proxy.Enabled, nil // toxiproxy says what is wrong with it
	}
	differs, err := l.proxy.Differs(&asked)
	if differs {
		err = fmt.Errorf("link %s leads from %s to %s: change that in toxiproxy's configuration and start it anew",
			l.proxy.Name, l.proxy.Listen, l.proxy.Upstream)
	}
	return asked.Enabled, err
}
