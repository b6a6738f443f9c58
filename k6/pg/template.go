package pg

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/grafana/sobek"
)

// template is an SQL text cut at its parameters, for the simple protocol.
type template struct {
	texts      []string // one more than there are parameters
	parameters []int    // the number after each $, from 1
}

// sqlToken matches what can hide a $1 that isn't a parameter (strings, quoted names, comments, names with a dollar
// sign), parameters, and what separates statements and their parts.
var sqlToken = regexp.MustCompile(`(?s)` +
	`[eE]'(?:[^'\\]|\\.|'')*'` + // escape string
	`|'(?:[^']|'')*'` + // string
	`|"(?:[^"]|"")*"` + // quoted name
	`|--[^\n]*` + // comment to the end of the line
	`|/\*` + // comment that may hold others
	`|[\pL_][\pL\pN_$]*` + // name or keyword
	`|\$(?:[\pL_][\pL\pN_]*)?\$` + // dollar quote
	`|\$[0-9]+` + // parameter
	`|[();]`)

// nextToken returns where the next token of sql begins and ends, from at on: comments and dollar-quoted strings whole.
func nextToken(sql string, at int) (begin, end int, found bool) {
	place := sqlToken.FindStringIndex(sql[at:])
	if place == nil {
		return 0, 0, false
	}
	begin, end = at+place[0], at+place[1]
	switch token := sql[begin:end]; {
	case token == "/*":
		end = afterComment(sql, end)
	case token[0] == '$' && token[len(token)-1] == '$':
		closing := strings.Index(sql[end:], token)
		if closing < 0 {
			return begin, len(sql), true
		}
		end += closing + len(token)
	}
	return begin, end, true
}

// parseTemplate cuts sql at its parameters.
func parseTemplate(sql string) *template {
	t := &template{}
	cut := 0
	for at := 0; ; {
		begin, end, found := nextToken(sql, at)
		if !found {
			t.texts = append(t.texts, sql[cut:])
			return t
		}
		at = end
		if sql[begin] != '$' {
			continue
		}
		number, err := strconv.Atoi(sql[begin+1 : end])
		if err != nil {
			continue // a dollar-quoted string, or too long for a number: the server will say so
		}
		t.texts = append(t.texts, sql[cut:begin])
		t.parameters = append(t.parameters, number)
		cut = end
	}
}

// afterComment returns where the comment ends whose opening ends at begin.
func afterComment(sql string, begin int) int {
	for depth, at := 1, begin; at < len(sql); at++ {
		switch {
		case strings.HasPrefix(sql[at:], "/*"):
			depth++
			at++
		case strings.HasPrefix(sql[at:], "*/"):
			depth--
			at++
			if depth == 0 {
				return at + 1
			}
		}
	}
	return len(sql)
}

// interpolate writes the arguments into the template as SQL literals.
func (e *encoder) interpolate(t *template, args []sobek.Value) (string, error) {
	e.text = e.text[:0]
	used := 0
	for at, number := range t.parameters {
		if number < 1 || number > len(args) {
			return "", fmt.Errorf("argument $%d is missing: %d given", number, len(args))
		}
		used = max(used, number)
		e.text = append(e.text, t.texts[at]...)
		text, err := appendLiteral(e.text, args[number-1])
		if err != nil {
			return "", fmt.Errorf("argument $%d: %w", number, err)
		}
		e.text = text
	}
	if used < len(args) {
		return "", fmt.Errorf("argument $%d isn't in the text: %d given", used+1, len(args))
	}
	return string(append(e.text, t.texts[len(t.texts)-1]...)), nil
}

// appendLiteral appends a JavaScript value as an SQL literal: quoted, numbers too, and left to the server to take for
// the type it needs, as it does with the arguments of the other protocols.
func appendLiteral(buf []byte, value sobek.Value) ([]byte, error) {
	begin := len(buf)
	// The leading blank keeps a preceding E or U& from changing the string.
	buf, null, err := appendText(append(buf, " '"...), value)
	if null {
		return append(buf[:begin], "NULL"...), err
	}
	if text := buf[begin+len(" '"):]; bytes.IndexByte(text, '\'') >= 0 {
		buf = append(buf[:begin+len(" '")], bytes.ReplaceAll(text, []byte("'"), []byte("''"))...)
	}
	return append(buf, '\''), err
}

// appendHex appends bytes in bytea's hex form.
func appendHex(buf, bytes []byte) []byte {
	return hex.AppendEncode(append(buf, `\x`...), bytes)
}

// decodeHex reads bytea's hex form.
func decodeHex(text []byte) ([]byte, error) {
	digits, found := strings.CutPrefix(string(text), `\x`)
	if !found {
		return nil, fmt.Errorf(`bytea in another format than hex: set bytea_output to hex`)
	}
	return hex.DecodeString(digits)
}
