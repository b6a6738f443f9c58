package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/gorilla/mux"
)

// newAPI is toxiproxy's, for which these links are proxies. Toxiproxy itself must never start or stop one of them: so
// what enables or disables proxies is done here. Where links listen and lead to can't be changed.
func newAPI(server *toxiproxy.ApiServer, links []*link) http.Handler {
	routes := server.Routes()
	known := &registry{links: links}
	routes.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := handle(w, r, next, server, known); err != nil {
				refusal, _ := json.Marshal(toxiproxy.ApiError{Message: err.Error(), StatusCode: http.StatusConflict})
				http.Error(w, string(refusal), http.StatusConflict)
			}
		})
	})
	return routes
}

// A registry has the links of the configuration, those that have been removed, too.
type registry struct {
	lock  sync.Mutex
	links []*link
}

// named is the link of that name, nil where there is none or where it has been removed.
func (r *registry) named(name string) *link {
	r.lock.Lock()
	defer r.lock.Unlock()
	for _, l := range r.links {
		if l.proxy.Name == name && !l.isRemoved() {
			return l
		}
	}
	return nil
}

// again makes a link anew that has been removed, where it is asked for as the configuration had it; not made where what
// is asked for is another proxy: toxiproxy's own.
func (r *registry) again(server *toxiproxy.ApiServer, asked *toxiproxy.Proxy) (made bool, err error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	for i, was := range r.links {
		if was.proxy.Name != asked.Name || !was.isRemoved() || was.same(asked) != nil {
			continue
		}
		l, err := newLink(server, asked.Name, asked.Listen, asked.Upstream, 0)
		if err != nil {
			return false, err
		}
		r.links[i] = l
		return true, l.enable(asked.Enabled)
	}
	return false, nil
}

// handle does what a request asks of links, and has toxiproxy, which is next, do the rest. An error says why it can't.
func handle(w http.ResponseWriter, r *http.Request, next http.Handler, server *toxiproxy.ApiServer,
	links *registry) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	link := links.named(mux.Vars(r)["proxy"])
	switch request := mux.CurrentRoute(r).GetName(); {
	case request == "ProxyUpdate" && link != nil:
		asked := link.asIs()
		if read(body, asked) != nil {
			break // toxiproxy says what is wrong with it
		}
		if err := link.same(asked); err != nil {
			return err
		}
		if err := link.enable(asked.Enabled); err != nil {
			return err
		}
		server.ProxyShow(w, r) // which is what an update answers
		return nil
	case request == "ProxyDelete" && link != nil:
		link.remove()
	case request == "ProxyCreate":
		asked := &toxiproxy.Proxy{Enabled: true}
		if read(body, asked) != nil {
			break
		}
		made, err := links.again(server, asked)
		if err != nil {
			return err
		}
		if !made {
			break
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		server.ProxyShow(w, mux.SetURLVars(r, map[string]string{"proxy": asked.Name}))
		return nil
	case request == "Populate":
		var all []*toxiproxy.Proxy
		if read(body, &all) != nil {
			break
		}
		for _, asked := range all {
			if link := links.named(asked.Name); link != nil {
				if err := link.same(asked); err != nil {
					return err
				}
			} else if _, err := links.again(server, asked); err != nil {
				return err
			}
		}
	case request == "ResetState":
		return reset(w, r, server, links)
	}
	next.ServeHTTP(w, r)
	return nil
}

// reset enables all proxies and removes all toxics.
func reset(w http.ResponseWriter, r *http.Request, server *toxiproxy.ApiServer, links *registry) error {
	for name, proxy := range server.Collection.Proxies() {
		var err error
		if link := links.named(name); link != nil {
			err = link.enable(true)
		} else {
			err = proxy.Start()
		}
		if err != nil && !errors.Is(err, toxiproxy.ErrProxyAlreadyStarted) {
			return err
		}
		proxy.Toxics.ResetToxics(r.Context())
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// read reads a request's body as toxiproxy does: what stands behind its first value doesn't count.
func read(body []byte, value any) error { return json.NewDecoder(bytes.NewReader(body)).Decode(value) }

// asIs is the link as a request may describe it.
func (l *link) asIs() *toxiproxy.Proxy {
	l.proxy.Lock()
	defer l.proxy.Unlock()
	return &toxiproxy.Proxy{Listen: l.proxy.Listen, Upstream: l.proxy.Upstream, Enabled: l.proxy.Enabled}
}

// same says what is wrong where a request describes another proxy than the link.
func (l *link) same(asked *toxiproxy.Proxy) error {
	l.proxy.Lock()
	defer l.proxy.Unlock()
	differs, err := l.proxy.Differs(asked)
	if differs {
		err = fmt.Errorf("link %s leads from %s to %s: change that in toxiproxy's configuration and start it anew",
			l.proxy.Name, l.proxy.Listen, l.proxy.Upstream)
	}
	return err
}
