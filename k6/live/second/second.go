// Package second is the line that the live load's k6 prints each second, for who prints it and who reads it.
package second

import "time"

// A Line is one second of all paths. Each is a line of JSON.
type Line struct {
	Time  time.Time       `json:"time"` // its end
	Paths map[string]Path `json:"paths"`
}

// A Path is what the clients of one path saw in a second. Null is not known: nothing ended in that second.
type Path struct {
	TPS       float64          `json:"tps"`
	MedianMS  *float64         `json:"median_ms"`
	P95MS     *float64         `json:"p95_ms"`
	ConnectMS *float64         `json:"connect_ms"` // median
	Errors    int64            `json:"errors"`
	Codes     map[string]int64 `json:"codes,omitempty"` // errors by SQLSTATE, or k6/x/pg's word
}
