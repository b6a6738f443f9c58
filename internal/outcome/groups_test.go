package outcome

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestGroups(t *testing.T) {
	var twenty [][2]float64
	for i := range EarliestGroups {
		noise := 1 + 0.02*math.Sin(float64(7*i))
		twenty = append(twenty, [2]float64{110 * noise, 100 / noise})
	}
	i := Groups(twenty)
	if !i.Known() || i.N != EarliestGroups || i.Lo >= i.Center || i.Center >= i.Hi {
		t.Fatalf("twenty groups gave %+v", i)
	}
	if math.Abs(i.Center-1.1) > 0.02 || i.Lo > 1.1 || i.Hi < 1.1 {
		t.Errorf("the ratio is %+v, it should be about 1.1", i)
	}
	if half := HalfWidth(i); math.Abs(i.Hi/i.Center-1-half) > 1e-9 {
		t.Errorf("half the width is %v of %+v", half, i)
	}
	swapped := make([][2]float64, len(twenty))
	for n, f := range twenty {
		swapped[n] = [2]float64{f[1], f[0]}
	}
	if s := Groups(swapped); math.Abs(s.Lo*i.Hi-1) > 1e-9 || math.Abs(s.Center*i.Center-1) > 1e-9 {
		t.Errorf("the other way round it is %+v, and not the inverse of %+v", s, i)
	}
	few := Groups(twenty[:7])
	if text := few.Text(nil); few.Known() || text != "no interval: 7 of 12 groups" {
		t.Errorf("seven groups gave %q", text)
	}
	if !math.IsInf(HalfWidth(few), 1) {
		t.Errorf("without an interval, half its width is %v", HalfWidth(few))
	}
	if none := Groups(nil); none.Known() || none.N != 0 {
		t.Errorf("no groups gave %+v", none)
	}
	if one := Groups(twenty[:1]); one.N != 1 || one.Known() {
		t.Errorf("one group gave %+v", one)
	}
}

// TestGroupsWithoutRatio: a figure of 0 has no logarithm.
func TestGroupsWithoutRatio(t *testing.T) {
	figures := [][2]float64{{0, 100}, {100, 0}, {0, 0}, {math.NaN(), 1}}
	for range FewestGroups {
		figures = append(figures, [2]float64{50, 100})
	}
	i := Groups(figures)
	if i.LeftOut != 4 || i.N != FewestGroups || i.Center != 0.5 || i.Lo != 0.5 || i.Hi != 0.5 {
		t.Errorf("it is %+v", i)
	}
}

// A noise is a way in which the logarithms of groups' ratios may scatter around that of the true ratio, with about the
// standard deviation 1.
type noise struct {
	name  string
	draw  func(*rand.Rand, int) []float64
	least float64 // coverage in percent that the interval has at least, allowing for chance
}

// noises are those that the interval has to stand. Independent ones are what groups of alternating slots should have:
// a drift hits both sides of a group alike.
var noises = []noise{
	{"normal", each((*rand.Rand).NormFloat64), 93},
	{"heavy tails", each(studentT3), 93},
	{"5 % of the groups off", each(func(r *rand.Rand) float64 { return disturbed(r, 1-2*float64(r.IntN(2))) }), 93},
	{"5 % of the groups off, to one side", each(func(r *rand.Rand) float64 { return disturbed(r, 1) }), 91},
	{"autocorrelated by 0.1", related(0.1), 92},
	{"autocorrelated by 0.2", related(0.2), 90},
}

func each(draw func(*rand.Rand) float64) func(*rand.Rand, int) []float64 {
	return func(r *rand.Rand, n int) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = draw(r)
		}
		return values
	}
}

// studentT3 is a draw of Student's t of 3 degrees of freedom.
func studentT3(r *rand.Rand) float64 {
	squares := 0.0
	for range 3 {
		v := r.NormFloat64()
		squares += v * v
	}
	return r.NormFloat64() / math.Sqrt(squares/3)
}

// disturbed is a draw of which 5 of 100 lie six standard deviations off: 30 % where that is 5 %.
func disturbed(r *rand.Rand, side float64) float64 {
	v := r.NormFloat64()
	if r.Float64() < 0.05 {
		v += 6 * side
	}
	return v
}

// related is noise in which each value has the share rho of the one before.
func related(rho float64) func(*rand.Rand, int) []float64 {
	return func(r *rand.Rand, n int) []float64 {
		values := make([]float64, n)
		v := r.NormFloat64()
		for i := range values {
			values[i] = v
			v = rho*v + math.Sqrt(1-rho*rho)*r.NormFloat64()
		}
		return values
	}
}

// trials are how often each case is drawn: chance moves the share by 0.7 of 100 (one standard error).
const trials = 1000

// TestCoverage: the interval holds the true ratio about as often as it says, for as many groups as a pair has, and
// where measuring ends as soon as the interval is narrow enough. What matters then is how the scatter of the groups
// compares with that width: it says after how many groups measuring ends.
func TestCoverage(t *testing.T) {
	for _, noise := range noises {
		t.Run(noise.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range []struct {
				until, deviation float64
				most             int
			}{{0, 0.05, 20}, {0, 0.05, 30}, {0, 0.05, 45}, {0.05, 0.08, 45}, {0.05, 0.10, 45}, {0.05, 0.12, 45},
				{0.03, 0.08, 45}} {
				r := rand.New(rand.NewPCG(9, uint64(c.most)))
				held, groups := 0, 0
				for range trials {
					figures := scattered(noise.draw(r, c.most), c.deviation)
					n := c.most
					if c.until > 0 {
						n = EarliestGroups
					}
					for ; n < c.most && !Groups(figures[:n]).Enough(c.until); n++ {
					}
					groups += n
					if i := Groups(figures[:n]); i.Lo <= trueRatio && trueRatio <= i.Hi {
						held++
					}
				}
				share := 100 * float64(held) / trials
				text := fmt.Sprintf("until %.0f %%, after %d groups on average: held %.1f of 100", 100*c.until,
					groups/trials, share)
				if t.Log(text); share < noise.least || share > 98.5 {
					t.Errorf("%s, it should in %.1f to 98.5", text, noise.least)
				}
			}
		})
	}
}

const trueRatio = 1.3

// scattered are groups whose ratios scatter around the true one.
func scattered(noise []float64, deviation float64) [][2]float64 {
	var figures [][2]float64
	for _, v := range noise {
		figures = append(figures, [2]float64{100 * trueRatio * math.Exp(deviation*v), 100})
	}
	return figures
}
