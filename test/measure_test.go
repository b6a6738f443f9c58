package test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// figure notes what a benchmark measured for the table of scripts/measure, with what was wanted: lo to hi, each of
// which may be infinite. A figure out of its range doesn't end the benchmark. Where the machine was too slow or too
// busy for a figure to mean anything, the benchmark calls Skip with the reason: the table shows that, too.
func figure(b *testing.B, name string, value float64, unit string, lo, hi float64) {
	b.Helper()
	text := func(v float64) string { return fmt.Sprintf("%.4g%s", v, unit) }
	wanted := text(lo) + " to " + text(hi)
	switch {
	case math.IsInf(hi, 1):
		wanted = "at least " + text(lo)
	case math.IsInf(lo, -1):
		wanted = "at most " + text(hi)
	}
	result := "not as wanted"
	if lo <= value && value <= hi {
		result = "as wanted"
	}
	file, err := os.OpenFile(filepath.Join(results, "measured.txt"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	if _, err := fmt.Fprintf(file, "%s\t%s\t%s\t%s\n", name, text(value), wanted, result); err != nil {
		b.Fatal(err)
	}
}
