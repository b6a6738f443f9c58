package trial

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pooler-lab/internal/generator"
	"pooler-lab/internal/result"
)

// A pair goes on until it is steady. Its time begins then.
func TestWhyAPairEnds(t *testing.T) {
	level := func(n int) (figures [][2]float64) {
		for i := range n {
			figures = append(figures, [2]float64{80 + 2*float64(i%3), 100})
		}
		return figures
	}
	falls := func(n int) (figures [][2]float64) {
		for i := range n {
			figures = append(figures, [2]float64{200 - 2*float64(i), 100})
		}
		return figures
	}
	for name, test := range map[string]struct {
		figures [][2]float64
		seconds float64 // that they took
		until   float64
		ending  string
		warming int
	}{
		"too few for an interval":  {level(11), 20, 0.05, "", 0},
		"too few to end so soon":   {level(19), 20, 0.05, "", 0},
		"precise":                  {level(20), 20, 0.05, result.Precise, 0},
		"not precise":              {level(20), 20, 0.001, "", 0},
		"not precise in time":      {level(20), 39, 0.001, result.TimeOver, 0},
		"it drifts":                {falls(20), 60, 0.5, "", 0},
		"precise once steady":      {append(falls(8), level(30)...), 38, 0.5, result.Precise, 8},
		"steady, and time goes on": {append(falls(8), level(30)...), 48, 0.001, "", 8},
		"its time is over":         {append(falls(8), level(30)...), 76, 0.001, result.TimeOver, 8},
	} {
		pair := &result.Pair{Metrics: []string{"tps"}, Until: test.until, AtMost: 40, Seconds: test.seconds,
			Groups: len(test.figures), Figures: map[string][][2]float64{"tps": test.figures}}
		ending := (&follower{pair: pair}).ending()
		if ending != test.ending || pair.Warming != test.warming ||
			math.Abs(pair.WarmingSeconds-test.seconds*float64(test.warming)/float64(len(test.figures))) > 1e-9 {
			t.Errorf("%s: it ends by %q after %d groups that don't count, %v s", name, ending, pair.Warming,
				pair.WarmingSeconds)
		}
	}
}

// A line is read once k6 has written it to its end.
func TestWholeGroupsAreRead(t *testing.T) {
	made := New(&result.Pair{Metrics: []string{"tps"}}, 1, 1, 1, slow("a"), plain("b"))
	pair := made.Pair
	pair.Figures = map[string][][2]float64{}
	f := &follower{sides: made.Sides, pair: pair, file: generator.Follower{File: filepath.Join(t.TempDir(), "groups")}}
	const group = `{"number": 1, "sides": [{"seconds": 2, "counters": {"pg_transactions": 8}}, {"seconds": 2,
 "counters": {"pg_transactions": 4}}]}`
	line := strings.ReplaceAll(group, "\n", "") + "\n"
	for _, step := range []struct {
		text string
		want int
	}{{"", 0}, {line[:40], 0}, {line, 1}, {line + line + line[:9], 2}} {
		if step.text != "" {
			if err := os.WriteFile(f.file.File, []byte(step.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if f.read(); f.err != nil || pair.Groups != step.want {
			t.Errorf("of %q, %d groups are read: %v", step.text, pair.Groups, f.err)
		}
	}
	if want := [][2]float64{{4, 2}, {4, 2}}; !slices.Equal(pair.Figures["tps"], want) {
		t.Errorf("the figures are %v", pair.Figures)
	}
}
