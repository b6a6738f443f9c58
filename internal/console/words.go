package console

import (
	"fmt"
	"regexp"
	"time"
)

var beforeUnit = regexp.MustCompile(`(\d) (ms|s|TPS|clients?|KB)\b`)

// tight keeps a number and its unit on one line.
func tight(text string) string { return beforeUnit.ReplaceAllString(text, "$1\u00a0$2") }

// about says how long a lesson takes.
func about(minutes float64) string {
	if minutes < 1 {
		return fmt.Sprintf("about %.0f seconds", minutes*60)
	}
	return fmt.Sprintf("about %.0f min", minutes)
}

// day writes a time for people.
func day(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// stops are the milliseconds that the slider can be moved to: fine where one matters, coarse where it doesn't.
func stops() []float64 {
	return []float64{0, 0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100, 125, 150, 200}
}
