package metric

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Text writes v as the figure is written, without its unit: a share in percent, a count as the whole number that it is.
func (f Metric) Text(v float64) string {
	if f.Unit == "share" {
		return Number(100 * v)
	}
	if f.Unit == "" && v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return Number(v)
}

// ShownUnit is the unit of what Text writes.
func (f Metric) ShownUnit() string {
	if f.Unit == "share" {
		return "%"
	}
	return f.Unit
}

// toTheEnd is how a time is written that was still passing when the window closed.
const toTheEnd = "to the end"

// Number writes v with as many digits as it has meaning: 0, 0.312, 5.24, 52.4, 524, 11642. A time that had no end
// within the window is infinite.
func Number(v float64) string {
	if math.IsInf(v, 1) {
		return toTheEnd
	}
	digits := 0
	switch size := math.Abs(v); {
	case v == 0:
	case size < 1:
		digits = 3
	case size < 10:
		digits = 2
	case size < 100:
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// RatioText writes a ratio with two decimals, or with more where it is so small that those say nothing: 1.04, 0.004.
func RatioText(v float64) string {
	switch {
	case v >= 0.1 || v == 0:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v >= 0.001:
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', 5, 64)
}

// Count is how many there are of something whose plural ends in s: 1 client, 2 clients.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Clock writes d as minutes and seconds: 1:05.
func Clock(d time.Duration) string {
	s := int(max(0, d).Round(time.Second).Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
