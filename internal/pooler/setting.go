package pooler

import (
	"strconv"
	"strings"
)

// SameValue says whether two spellings of a setting are the same: of some, a pooler takes 5 and shows 5.0.
func SameValue(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	return errA == nil && errB == nil && x == y
}
