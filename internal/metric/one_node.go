package metric

import (
	"fmt"

	"pooler-lab/internal/result"
)

// nearlyAll is the share from which on one node had all SELECTs but those that weren't the client's.
const nearlyAll = 0.9

// OneNode says whether the metric depends on the node that was drawn for the cell's one session. Such a cell measures
// one node in each repeat, so its figures have no median over repeats: how often which node was drawn is all there is
// to say.
func (f Metric) OneNode(c *result.Cell) bool {
	if !f.drawn || c == nil || c.Clients != 1 || c.Opens() {
		return false
	}
	shares := onStandby(c)
	for _, share := range shares {
		if share > 1-nearlyAll && share < nearlyAll {
			return false
		}
	}
	return len(shares) > 0
}

// Drawn says in how many of the cell's repeats its one session was on the standby: 3 of 6. It is empty for a metric
// that isn't a share of nodes.
func (f Metric) Drawn(c *result.Cell) string {
	if f.Name != "standby_share" || !f.OneNode(c) {
		return ""
	}
	shares, times := onStandby(c), 0
	for _, share := range shares {
		if share >= nearlyAll {
			times++
		}
	}
	return fmt.Sprintf("%d of %d", times, len(shares))
}

// onStandby are the standby's shares of the SELECTs, of the repeats of c that count.
func onStandby(c *result.Cell) []float64 {
	var shares []float64
	for i := range c.Repeats {
		if r := &c.Repeats[i]; r.Status == result.OK {
			if share, ok := standbyShare(c, r); ok {
				shares = append(shares, share)
			}
		}
	}
	return shares
}
