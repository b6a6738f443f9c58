package web

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"pooler-lab/internal/chart"
)

// round is what stands large on a link's plate: the round trip measured, or in a word why there is none. format.js
// says the same in the browser.
func round(link map[string]any) string {
	if cut, _ := link["cut"].(bool); cut {
		return "cut"
	}
	if off, _ := link["off"].(string); off != "" {
		return "off"
	}
	if ms, ok := link["measured_ms"].(float64); ok {
		return short(ms) + " ms"
	}
	return "not measured"
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

// plate is what stands small on a link's plate: without its first word where that leaves no room.
func plate(link map[string]any) string {
	text := asked(link)
	if len([]rune(text)) > roomy {
		return strings.TrimPrefix(text, "asked ")
	}
	return text
}

// roomy is how many characters fit on a plate.
const roomy = 17

// asked is what was asked of a link.
func asked(link map[string]any) string {
	if known, _ := link["known"].(bool); !known {
		return "asked ?"
	}
	if off, _ := link["off"].(string); off != "" {
		return "no server here"
	}
	number := func(name string) float64 { v, _ := link[name].(float64); return v }
	text := fmt.Sprintf("asked %.0f", number("latency_ms"))
	if jitter := number("jitter_ms"); jitter > 0 {
		text += fmt.Sprintf(" ±%.0f", jitter)
	}
	text += " ms"
	if number("down_kbps") > 0 || number("up_kbps") > 0 {
		text += ", narrow"
	}
	return text
}

// nodeSays are the lines below a node's name.
func nodeSays(node map[string]any) []string {
	if node == nil {
		return []string{"not known yet"}
	}
	if state, _ := node["state"].(string); state != "up" {
		reason, _ := node["reason"].(string)
		if strings.HasPrefix(reason, "paused") { // why, the banner says
			return []string{"paused"}
		}
		return []string{strings.Trim(state+": "+reason, ": ")}
	}
	var says []string
	count := func(name, one, many string) {
		if v, ok := node[name].(float64); ok {
			noun := many
			if v == 1 {
				noun = one
			}
			says = append(says, fmt.Sprintf("%.0f %s", v, noun))
		}
	}
	count("backends", "backend", "backends")
	if ms, ok := node["replication_lag_ms"].(float64); ok {
		says = append(says, "lag "+chart.Number(ms)+" ms")
	}
	if v, _ := node["selects_per_second"].(float64); v > 0 {
		says = append(says, fmt.Sprintf("%.0f SELECTs/s by Pgpool-II", v))
	}
	if len(says) == 0 {
		return []string{"up"}
	}
	return says
}

var beforeUnit = regexp.MustCompile(`(\d) (ms|s|TPS|clients?|KB)\b`)

// tight keeps a number and its unit on one line.
func tight(text any) string {
	s, _ := text.(string)
	return beforeUnit.ReplaceAllString(s, "$1\u00a0$2")
}

// clock writes seconds as minutes and seconds.
func clock(seconds any) string {
	s, _ := seconds.(float64)
	return fmt.Sprintf("%d:%02d", int(s)/60, int(s)%60)
}

// about says how long a lesson takes.
func about(minutes any) string {
	m, _ := minutes.(float64)
	if m < 1 {
		return fmt.Sprintf("about %.0f seconds", m*60)
	}
	return fmt.Sprintf("about %.0f min", m)
}

// day writes a time of the state for people.
func day(stamp any) string {
	text, _ := stamp.(string)
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}
