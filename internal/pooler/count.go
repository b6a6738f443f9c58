package pooler

import (
	"fmt"
	"strings"

	"pooler-lab/internal/result"
)

// A part of a server's count isn't clients' transactions.
type part struct {
	what string
	n    int64
}

// count sets k6's count beside a server's, less its parts.
func count(what string, k6, server int64, parts ...part) result.Count {
	raw := server
	var names []string
	for _, p := range parts {
		if p.n != 0 {
			server -= p.n
			names = append(names, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return result.Count{
		What: what, K6: k6, Raw: raw, Server: server, Less: strings.Join(names, ", "), Equal: k6 == server,
	}
}

// unsure says of c that n of the server's count may not be the clients' either.
func unsure(c result.Count, n int64) result.Count {
	c.Unsure = n
	c.Equal = c.K6 <= c.Server && c.Server <= c.K6+n
	return c
}

// Since is how many SELECTs each server got between two readings of a pooler's counters.
func (c Counters) Since(before Counters) []result.Share {
	var shares []result.Share
	for i, s := range c.Selects {
		if i < len(before.Selects) {
			s.Selects -= before.Selects[i].Selects
		}
		shares = append(shares, s)
	}
	return shares
}
