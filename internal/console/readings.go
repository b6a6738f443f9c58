package console

import "sync"

// notMeasuredYet is why nothing is known of what no probe has read since the console, or a pause, began.
const notMeasuredYet = "not measured yet"

// readings are what probes saw last, by what they look at. What a probe no longer reads is forgotten, not kept as if it
// were true.
type readings[T any] struct {
	mu   sync.Mutex
	last map[string]T
}

func (r *readings[T]) note(name string, seen T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil {
		r.last = map[string]T{}
	}
	r.last[name] = seen
}

func (r *readings[T]) forget(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.last, name)
}

func (r *readings[T]) of(name string) (seen T, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen, ok = r.last[name]
	return seen, ok
}

// A roundTrip is a link's in milliseconds, or why there is none.
type roundTrip struct {
	ms     *float64
	reason string
}

// A nodeReading is what one probe saw, as a change of the nodes that it says something of, or why it saw nothing.
type nodeReading struct {
	apply  func(map[string]*Node)
	reason string
}
