package pooler

import (
	"testing"

	"pooler-lab/internal/result"
)

func TestSelectsSince(t *testing.T) {
	before := Counters{Selects: []result.Share{{Node: "primary", Role: "primary", Selects: 7},
		{Node: "standby", Selects: 8}}}
	after := Counters{Selects: []result.Share{
		{Node: "primary", Role: "primary", Selects: 407}, {Node: "standby", Role: "standby", Selects: 608},
	}}
	shares := after.Since(before)
	if len(shares) != 2 || shares[0].Selects != 400 ||
		shares[1] != (result.Share{Node: "standby", Role: "standby", Selects: 600}) {
		t.Errorf("the shares are %+v", shares)
	}
	if shares = after.Since(Counters{}); shares[0].Selects != 407 || after.Selects[0].Selects != 407 {
		t.Errorf("without a reading before, the shares are %+v", shares)
	}
}
