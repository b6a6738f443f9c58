package pg

import "testing"

func TestSeed(t *testing.T) {
	draw := func(seed string) string {
		return newScript(t, New()).run(`pg.seed(` + seed + `); JSON.stringify([1, 2, 3].map(() => Math.random()))`)
	}
	if once, again := draw("7"), draw("7"); once != again {
		t.Error("the same seed draws other numbers")
	}
	if seven, eight := draw("7"), draw("8"); seven == eight {
		t.Error("other seeds draw the same numbers")
	}
	if once, again := draw("0"), draw("0"); once == again {
		t.Error("no seed draws the same numbers")
	}
}
