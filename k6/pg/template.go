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

// sqlToken matches parameters, and what can hide a $1 that isn't one: strings, quoted names, comments, names with a
// dollar sign.
var sqlToken = regexp.MustCompile(`(?s)` +
	`[eE]'(?:[^'\\]|\\.|'')*'` + // escape string
	`|'(?:[^']|'')*'` + // string
	`|"(?:[^"]|"")*"` + // quoted name
	`|--[^\n]*` + // comment to the end of the line
	`|/\*` + // comment that may hold others
	`|[\pL_][\pL\pN_$]*` + // name or keyword
	`|\$(?:[\pL_][\pL\pN_]*)?\$` + // dollar quote
	`|\$[0-9]+`) // parameter

// eachToken calls do with where each of sqlToken's matches begins and ends, comments and dollar quotes as a whole.
func eachToken(sql string, do func(begin, end int)) {
	for at := 0; ; {
		place := sqlToken.FindStringIndex(sql[at:])
		if place == nil {
			return
		}
		begin, end := at+place[0], at+place[1]
		switch token := sql[begin:end]; {
		case token == "/*":
			end = afterComment(sql, end)
		case token[0] == '$' && token[len(token)-1] == '$': // until the same one closes it
			_, rest, _ := strings.Cut(sql[end:], token)
			end = len(sql) - len(rest)
		}
		do(begin, end)
		at = end
	}
}

// parseTemplate cuts sql at its parameters.
func parseTemplate(sql string) *template {
	t, cut := &template{}, 0
	eachToken(sql, func(begin, end int) {
		number, err := strconv.Atoi(sql[begin+1 : end])
		if sql[begin] != '$' || err != nil {
			return // no parameter, or too long a number: the server will say so
		}
		t.texts, t.parameters = append(t.texts, sql[cut:begin]), append(t.parameters, number)
		cut = end
	})
	t.texts = append(t.texts, sql[cut:])
	return t
}

// bare is sql with blanks in place of all that may hold words or semicolons of its own: strings, quoted names, comments
// and dollar quotes.
func bare(sql string) string {
	text := []byte(sql)
	eachToken(sql, func(begin, end int) {
		if !strings.ContainsAny(sql[begin:begin+1], `'"-/$`) && !strings.Contains(sql[begin:end], "'") {
			return // a word
		}
		for i := begin; i < end; i++ {
			text[i] = ' '
		}
	})
	return string(text)
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
func (t *template) interpolate(args []sobek.Value) (string, error) {
	var sql []byte
	used := 0
	for at, number := range t.parameters {
		if number < 1 || number > len(args) {
			return "", fmt.Errorf("argument $%d is missing: %d given", number, len(args))
		}
		used = max(used, number)
		var err error
		if sql, err = appendLiteral(append(sql, t.texts[at]...), args[number-1]); err != nil {
			return "", fmt.Errorf("argument $%d: %w", number, err)
		}
	}
	if used < len(args) {
		return "", fmt.Errorf("argument $%d isn't in the text: %d given", used+1, len(args))
	}
	return string(append(sql, t.texts[len(t.texts)-1]...)), nil
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
