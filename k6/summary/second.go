package summary

import (
	"slices"
	"time"
)

// A Second is one of all paths, which the live load's k6 prints as a line of JSON.
type Second struct {
	Time  time.Time             `json:"time"` // its end
	Paths map[string]PathSecond `json:"paths"`
}

// A PathSecond is what the clients of one path saw in a second. Null is not known: nothing ended in that second.
type PathSecond struct {
	TPS          float64          `json:"tps"`
	P50MS        *float64         `json:"p50_ms"` // of the response time
	P95MS        *float64         `json:"p95_ms"`
	ConnectMS    *float64         `json:"connect_ms"` // p50
	Errors       int64            `json:"errors"`
	Codes        map[string]int64 `json:"codes,omitempty"` // errors by SQLSTATE, or k6/x/pg's word
	Transactions int64            `json:"transactions"`
	ResponseTime Histogram        `json:"response_time"`
	ConnectTime  Histogram        `json:"connect_time"`
}

// Bounds are the upper bounds of a Histogram's buckets, in seconds. A last bucket has what is above them all.
var Bounds = []float64{
	0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
}

// A Histogram counts times by their size.
type Histogram struct {
	Counts []uint64 `json:"counts,omitempty"` // of each bucket alone, one more than Bounds; none where there are no times
	Sum    float64  `json:"sum"`              // of all times, in seconds
}

// HistogramOf counts times in milliseconds.
func HistogramOf(milliseconds []float64) Histogram {
	var h Histogram
	if len(milliseconds) == 0 {
		return h
	}
	h.Counts = make([]uint64, len(Bounds)+1)
	for _, ms := range milliseconds {
		seconds := ms / 1000
		bucket, _ := slices.BinarySearch(Bounds, seconds)
		h.Counts[bucket]++
		h.Sum += seconds
	}
	return h
}

// Add adds another one's times.
func (h *Histogram) Add(other Histogram) {
	if len(other.Counts) != len(Bounds)+1 {
		return
	}
	if h.Counts == nil {
		h.Counts = make([]uint64, len(other.Counts))
	}
	for i, n := range other.Counts {
		h.Counts[i] += n
	}
	h.Sum += other.Sum
}
