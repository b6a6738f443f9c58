package wording

import (
	"errors"
	"fmt"
	"strings"
)

// Unknown returns the error for name, which is no kind ("link", "path") that exists: the closest of known first,
// if one is near enough to be a slip of the fingers, or those that begin with it, then all of them. It says so where
// there is none at all.
func Unknown(kind, name string, known []string) error {
	text := fmt.Sprintf("unknown %s %q", kind, name)
	if len(known) == 0 {
		return errors.New(text + ": there is none")
	}
	if some := Begun(name, known); len(some) > 1 {
		text += fmt.Sprintf(": did you mean one of %s?", strings.Join(some, ", "))
	} else if closest := Closest(name, known); closest != "" {
		text += fmt.Sprintf(": did you mean %s?", closest)
	} else {
		text += ":"
	}
	return fmt.Errorf("%s there are %s", text, strings.Join(known, ", "))
}

// Begun returns the known names that name is the first word of: for pgbouncer, those such as pgbouncer-session.
func Begun(name string, known []string) []string {
	var some []string
	for _, candidate := range known {
		if name != "" && strings.HasPrefix(candidate, strings.ToLower(name)+"-") {
			some = append(some, candidate)
		}
	}
	return some
}

// Closest returns the known name that is nearest to name, or "" where none is near: more than a third of its
// letters would have to change, and neither begins with the other. Capitals don't count.
func Closest(name string, known []string) string {
	name = strings.ToLower(name)
	best, least := "", 0
	for _, candidate := range known {
		lower := strings.ToLower(candidate)
		d := distance(name, lower)
		near := d <= max(1, len(lower)/3) || (len(name) > 2 && strings.HasPrefix(lower, name))
		if near && (best == "" || d < least) {
			best, least = candidate, d
		}
	}
	return best
}

// distance counts the letters to insert, drop or replace to make b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := diagonal
			if a[i-1] != b[j-1] {
				replaced++
			}
			diagonal = row[j]
			row[j] = min(replaced, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
