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

// copyKinds returns the kinds of the statements in an SQL text; nil where none is a COPY.
func copyKinds(sql string) (kinds []copyKind) {
	if !maybeCopy.MatchString(sql) {
		return nil
	}
	for statement := range strings.SplitSeq(wordsOf(sql), ";") {
		if statement = strings.TrimSpace(statement); statement != "" {
			kinds = append(kinds, copyKindOf(statement))
		}
	}
	return kinds
}

// word matches a name or keyword, and what separates statements.
var word = regexp.MustCompile(`^(?:[\pL_][\pL\pN_$]*|;)$`)

// wordsOf returns the words of an SQL text and the semicolons between them, without what stands in brackets.
func wordsOf(sql string) string {
	var words []string
	depth := 0
	for at := 0; ; {
		begin, end, found := nextToken(sql, at)
		if !found {
			return strings.ToLower(strings.Join(words, " "))
		}
		at = end
		switch token := sql[begin:end]; {
		case token == "(":
			depth++
		case token == ")":
			depth--
		case depth == 0 && word.MatchString(token):
			words = append(words, token)
		}
	}
}

// copyWords matches a COPY over the connection. STDIN and STDOUT mean the same to PostgreSQL.
var copyWords = regexp.MustCompile(`^copy\b.*?\b(from|to) std(?:in|out)\b`)

// copyKindOf returns the kind of a statement, by its words.
func copyKindOf(statement string) copyKind {
	switch found := copyWords.FindStringSubmatch(statement); {
	case found == nil:
		return noCopy
	case found[1] == "from":
		return copyIn
	}
	return copyOut
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
	wants, other := "copyIn() wants one COPY ... FROM STDIN", "COPY ... TO STDOUT use copyOut()"
	if wanted == copyOut {
		wants, other = "copyOut() wants one COPY ... TO STDOUT", "COPY ... FROM STDIN use copyIn()"
	}
	switch kinds := st.copies; {
	case len(kinds) == 0 || len(kinds) == 1 && kinds[0] == noCopy:
		return fmt.Errorf("%s: for other statements use exec() or query()", wants)
	case len(kinds) > 1:
		return fmt.Errorf("%s, and no other statements", wants)
	case kinds[0] != wanted:
		return fmt.Errorf("%s: for %s", wants, other)
	}
	return nil
}
