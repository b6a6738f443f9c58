package pg

import "container/list"

// mostStatements is how many statements a client knows and a connection has prepared: as many as pgx keeps.
const mostStatements = 512

// recent is a map that knows which of its entries was used last, and which has been unused for longest.
type recent[K comparable, V any] struct {
	entries map[K]*list.Element
	order   list.List // of entries, the one used last in front
}

// entry is one of them.
type entry[K comparable, V any] struct {
	key   K
	value V
}

// get returns the value of a key and whether there is one, and notes that it was used.
func (r *recent[K, V]) get(key K) (value V, ok bool) {
	element := r.entries[key]
	if element == nil {
		return value, false
	}
	r.order.MoveToFront(element)
	return element.Value.(entry[K, V]).value, true
}

// put adds an entry whose key isn't there yet.
func (r *recent[K, V]) put(key K, value V) {
	if r.entries == nil {
		r.entries = map[K]*list.Element{}
	}
	r.entries[key] = r.order.PushFront(entry[K, V]{key, value})
}

// oldest returns the value that has been unused for longest, if there is any.
func (r *recent[K, V]) oldest() (value V) {
	if last := r.order.Back(); last != nil {
		value = last.Value.(entry[K, V]).value
	}
	return value
}

// dropOldest takes that one away and returns it.
func (r *recent[K, V]) dropOldest() (value V) {
	if last := r.order.Back(); last != nil {
		dropped := r.order.Remove(last).(entry[K, V])
		delete(r.entries, dropped.key)
		value = dropped.value
	}
	return value
}

// size is the number of entries.
func (r *recent[K, V]) size() int {
	return len(r.entries)
}
