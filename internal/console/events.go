package console

import (
	"fmt"
	"net/http"
	"time"
)

// stalled is how long a page may take to take an event in before its connection is given up.
const stalled = 5 * time.Second

// serveEvents tells one page what happens until it leaves, or is too slow.
func (p *parts) serveEvents(w http.ResponseWriter, r *http.Request) error {
	state := p.now(r.Context())
	page, first, err := p.hub.join(state)
	if err != nil {
		return fmt.Errorf("write the first event: %w", err)
	}
	defer p.hub.leave(page)
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	control := http.NewResponseController(w)
	send := func(text []byte) error {
		if err := control.SetWriteDeadline(time.Now().Add(stalled)); err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		return control.Flush()
	}
	if send(first) != nil {
		return nil
	}
	for {
		select {
		case <-r.Context().Done():
			return nil
		case <-p.until.Done():
			return nil
		case text, ok := <-page:
			if !ok || send(text) != nil {
				return nil
			}
		}
	}
}
