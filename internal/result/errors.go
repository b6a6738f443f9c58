package result

import (
	"cmp"
	"slices"
)

// InWindow says whether the error fell into the measured window. A fixed amount of work has no other phase.
func InWindow(e Error) bool { return e.Phase != "warmup" && e.Phase != "after" }

// Ranked adds up the errors of one code and message, and returns the most frequent first.
func Ranked(errors []Error) (all []Error) {
	for _, e := range errors {
		i := slices.IndexFunc(all, func(other Error) bool { return other.Code == e.Code && other.Message == e.Message })
		if i < 0 {
			all = append(all, Error{Code: e.Code, Message: e.Message, Count: e.Count})
			continue
		}
		all[i].Count += e.Count
	}
	slices.SortFunc(all, func(a, b Error) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return all
}

// An ErrorCount is how often a cell's clients met one thing that went wrong.
type ErrorCount struct {
	Code     string
	Message  string // of the first
	Measured int64  // in the measured window
	Outside  int64  // before it or after it
}

// Errors are those of the cell's repeats, rejected ones left out, by code: the most frequent in the measured window
// first.
func (c *Cell) Errors() []ErrorCount {
	var counts []ErrorCount
	for _, r := range c.Repeats {
		if r.Measured == nil || r.Status == Rejected {
			continue
		}
		for _, e := range r.Measured.Errors {
			i := slices.IndexFunc(counts, func(n ErrorCount) bool { return n.Code == e.Code })
			if i < 0 {
				i = len(counts)
				counts = append(counts, ErrorCount{Code: e.Code, Message: e.Message})
			}
			if InWindow(e) {
				counts[i].Measured += e.Count
			} else {
				counts[i].Outside += e.Count
			}
		}
	}
	slices.SortStableFunc(counts, func(a, b ErrorCount) int {
		return cmp.Or(cmp.Compare(b.Measured, a.Measured), cmp.Compare(b.Outside, a.Outside))
	})
	return counts
}

// ErrorsMeasured is how many errors fell into the cell's measured windows.
func (c *Cell) ErrorsMeasured() (n int64) {
	for _, e := range c.Errors() {
		n += e.Measured
	}
	return n
}
