package pg

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// copyKind is what a statement has to do with COPY's own messages, which each have a function of their own.
type copyKind int

const (
	noCopy  copyKind = iota
	copyIn           // COPY ... FROM STDIN
	copyOut          // COPY ... TO STDOUT
)

// String is the direction as tags have it.
func (k copyKind) String() string {
	return [...]string{copyIn: "in", copyOut: "out"}[k]
}

// maybeCopy matches texts that are worth a closer look.
var maybeCopy = regexp.MustCompile(`(?i)\bcopy\b`)

// copyKinds returns the kinds of the statements in an SQL text; nil where there is no such COPY.
func copyKinds(sql string) (kinds []copyKind) {
	if !maybeCopy.MatchString(sql) {
		return nil
	}
	var words []string // of the statement, outside of brackets
	depth, any := 0, false
	conclude := func() {
		if len(words) > 0 {
			kind := copyKindOf(words)
			kinds, any, words = append(kinds, kind), any || kind != noCopy, nil
		}
	}
	for at := 0; ; {
		begin, end, found := nextToken(sql, at)
		if !found {
			break
		}
		at = end
		switch token := sql[begin:end]; {
		case token == "(":
			depth++
		case token == ")":
			depth--
		case token == ";" && depth == 0:
			conclude()
		case strings.HasPrefix(token, "--"), strings.HasPrefix(token, "/*"):
		case depth == 0:
			words = append(words, strings.ToLower(token))
		}
	}
	if conclude(); !any {
		return nil
	}
	return kinds
}

// copyKindOf returns the kind of a statement. STDIN and STDOUT mean the same to PostgreSQL.
func copyKindOf(words []string) copyKind {
	if words[0] != "copy" {
		return noCopy
	}
	for at, word := range words[1:] {
		if word != "stdin" && word != "stdout" {
			continue
		}
		switch words[at] {
		case "from":
			return copyIn
		case "to":
			return copyOut
		}
	}
	return noCopy
}

// withoutCopy returns an error where COPY's data has nowhere to come from, or to go to: the server would wait for it,
// and Pgpool-II closes the connection.
func (st *statement) withoutCopy() error {
	for _, kind := range st.copies {
		switch kind {
		case copyIn:
			return errors.New("COPY ... FROM STDIN needs data: use copyIn()")
		case copyOut:
			return errors.New("COPY ... TO STDOUT returns no rows: use copyOut()")
		}
	}
	return nil
}

// wantsCopy returns an error unless the statement is one COPY of that kind, and says what it is instead.
func (st *statement) wantsCopy(wanted copyKind) error {
	calls := [...]string{
		copyIn:  "copyIn() wants one COPY ... FROM STDIN",
		copyOut: "copyOut() wants one COPY ... TO STDOUT",
	}
	switch kinds := st.copies; {
	case len(kinds) == 1 && kinds[0] == wanted:
		return nil
	case len(kinds) > 1:
		return fmt.Errorf("%s, and no other statements", calls[wanted])
	case len(kinds) == 0:
		return fmt.Errorf("%s: for other statements use exec() or query()", calls[wanted])
	case wanted == copyIn:
		return fmt.Errorf("%s: for COPY ... TO STDOUT use copyOut()", calls[wanted])
	}
	return fmt.Errorf("%s: for COPY ... FROM STDIN use copyIn()", calls[wanted])
}
