package pg

import "testing"

func TestSeed(t *testing.T) {
	draw := func(seed string) string {
		return newScript(t, New()).run(`pg.seed(` + seed + `); JSON.stringify([1, 2, 3].map(() => Math.random()))`)
	}
	if draw("7") != draw("7") {
		t.Error("the same seed draws other numbers")
	}
	if draw("7") == draw("8") || draw("0") == draw("0") {
		t.Error("other seeds, or none, draw the same numbers")
	}
}
