package result

import (
	"slices"
	"strings"
)

// A Fact is one thing that a server said of itself, and what it had to be.
type Fact struct {
	What  string `json:"what"`
	Said  string `json:"said"`
	Want  string `json:"want"`
	Holds bool   `json:"holds"`
}

// Expect notes what was said, and that it had to be one of wanted.
func Expect(what, said string, wanted ...string) Fact {
	return Fact{What: what, Said: said, Want: strings.Join(wanted, " or "), Holds: slices.Contains(wanted, said)}
}
