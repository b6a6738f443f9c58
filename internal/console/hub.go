package console

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

const (
	// remembered is how far back the charts of a page go that has just been opened.
	remembered = 5 * time.Minute
	// backlog is how many updates a page may be behind before it is dropped. Its browser connects anew by itself.
	backlog = 5
	// curious is how long somebody counts as watching who has left, or asked once.
	curious = time.Minute
)

// A hub tells all pages what happens, and remembers it for those that come later. No page can hold it up.
type hub struct {
	mu       sync.Mutex
	curious  time.Duration
	watchers map[chan []byte]bool // pages that listen; closed when one was too slow
	seen     time.Time            // when a page last left, or somebody asked who doesn't listen
	history  []Tick
	swaps    []Swap
}

func newHub() *hub {
	return &hub{curious: curious, watchers: map[chan []byte]bool{}, history: []Tick{}, swaps: []Swap{}}
}

// An update is what a page is told each second. Its first one has the last minutes.
type update struct {
	State State    `json:"state"`
	Map   drawnMap `json:"map"`
	Ticks []Tick   `json:"ticks"`
	Swaps []Swap   `json:"swaps"` // since the update before
}

// join adds a page and returns its first update: whatever is told later comes over its channel.
func (h *hub) join(now State) (page chan []byte, first []byte, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	page = make(chan []byte, backlog)
	h.watchers[page] = true
	first, err = event(update{now, drawMap(now), h.history, h.swaps})
	return page, first, err
}

func (h *hub) leave(page chan []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers, page)
	h.seen = time.Now()
}

// tell sends a second to all pages. Its text is made once, however many there are.
func (h *hub) tell(state State, last Tick, swaps []Swap) error {
	text, err := event(update{state, drawMap(state), []Tick{last}, swaps})
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.history, h.swaps = append(h.history, last), append(h.swaps, swaps...)
	h.forget(state.Time.Add(-remembered))
	for page := range h.watchers {
		select {
		case page <- text:
		default:
			delete(h.watchers, page)
			close(page)
		}
	}
	return nil
}

// forget drops what is older than earliest.
func (h *hub) forget(earliest time.Time) {
	for len(h.history) > 0 && h.history[0].Time.Before(earliest) {
		h.history = h.history[1:]
	}
	for len(h.swaps) > 0 && h.swaps[0].Time.Before(earliest) {
		h.swaps = h.swaps[1:]
	}
}

// watched says whether somebody looks, or did a moment ago.
func (h *hub) watched() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.watchers) > 0 || time.Since(h.seen) < h.curious
}

// ask notes that somebody wants to know, who doesn't listen.
func (h *hub) ask() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = time.Now()
}

// event is the server-sent event of an update.
func event(u update) ([]byte, error) {
	text, err := json.Marshal(u)
	return fmt.Appendf(nil, "data: %s\n\n", text), err
}
