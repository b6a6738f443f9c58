package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A file is one that pages load, as it is and compressed.
type file struct{ plain, gzipped []byte }

// packed compresses the contents once, so that no request has to wait for it.
func packed(contents map[string][]byte) map[string]file {
	all := map[string]file{}
	for name, plain := range contents {
		var out bytes.Buffer
		w := gzip.NewWriter(&out) // neither of its errors can come from a buffer
		_, _ = w.Write(plain)
		_ = w.Close()
		all[name] = file{plain, out.Bytes()}
	}
	return all
}

func hashOf(contents map[string][]byte) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		fmt.Fprintf(sum, "%s %d\n", name, len(contents[name]))
		sum.Write(contents[name])
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

// Static serves what the pages load, below /static/.
func (p *Pages) Static() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hash, name := path.Split(strings.TrimPrefix(r.URL.Path, "/static/"))
		f, ok := p.static[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		header, content, tag := w.Header(), f.plain, strconv.Quote(p.hash)
		header.Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			content, tag = f.gzipped, strconv.Quote(p.hash+"-gzip")
			header.Set("Content-Encoding", "gzip")
		}
		header.Set("ETag", tag)
		// An address of another hash is that of a page from before an update: it gets today's file, and may not keep it.
		header.Set("Cache-Control", "no-cache")
		if strings.Trim(hash, "/") == p.hash {
			header.Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		if r.Header.Get("If-None-Match") == tag {
			header.Del("Content-Encoding")
			w.WriteHeader(http.StatusNotModified)
			return
		}
		header.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
		header.Set("Content-Length", strconv.Itoa(len(content)))
		if _, err := w.Write(content); err != nil {
			return // the browser went away
		}
	})
}
