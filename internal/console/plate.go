package console

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"pooler-lab/internal/metric"
)

const notMeasured = "not measured"

// plateOf is a link's plate.
func plateOf(l Link, w wire, load Load) plate {
	p := plate{wire: w, Name: l.Name, Measured: measured(l), Set: setting(l), Class: classOf(l, load)}
	if utf8.RuneCountInString(p.Set) > roomy { // without its first word
		p.Set = p.Set[len("set "):]
	}
	p.Hint = l.Name + ": " + setting(l) + ", " + exactly(l)
	p.Label = p.Hint
	switch {
	case l.Cut:
		p.Label = l.Name + ": cut"
	case l.MeasuredMS != nil:
		// Whole milliseconds: a label that changes each second would be read aloud each second.
		p.Label = fmt.Sprintf("%s: %s, measured about %.0f ms", l.Name, setting(l), *l.MeasuredMS)
	}
	return p
}

// measured is the round trip, or in a word why there is none.
func measured(l Link) string {
	switch {
	case l.Cut:
		return "cut"
	case l.Off != "":
		return "off"
	case l.MeasuredMS != nil:
		return short(*l.MeasuredMS) + " ms"
	}
	return notMeasured
}

// exactly is the round trip with all its digits, or the whole reason why there is none.
func exactly(l Link) string {
	reason := l.Reason
	if l.Off != "" {
		reason = l.Off
	}
	switch {
	case l.MeasuredMS != nil:
		return "measured " + metric.Number(*l.MeasuredMS) + " ms"
	case reason != "":
		return notMeasured + ": " + reason
	}
	return notMeasured
}

// short is a time for a plate that is read from afar: it has about the same width each second.
func short(ms float64) string {
	digits := 0
	switch {
	case ms < 1:
		digits = 2
	case ms < 100:
		digits = 1
	}
	return strconv.FormatFloat(ms, 'f', digits, 64)
}

// roomy is how many characters fit on a plate.
const roomy = 18

// setting is what a link is set to.
func setting(l Link) string {
	switch {
	case !l.Known:
		return "set ?"
	case l.Off != "":
		return "no server here"
	}
	text := fmt.Sprintf("set %g", l.LatencyMS)
	if l.JitterMS > 0 {
		text += fmt.Sprintf(" ±%g", l.JitterMS)
	}
	text += " ms"
	if l.DownKBps > 0 || l.UpKBps > 0 {
		text += ", narrow"
	}
	if l.Others {
		text += ", faults"
	}
	return text
}
