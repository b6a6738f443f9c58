package outcome

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"

	"pooler-lab/internal/shared"
)

// FewestGroups is how many groups of slots a pair's interval takes: from 8 on it holds the true ratio as often as it
// should, and 12 leave some to spare. EarliestGroups is how many a pair has before it may end since its interval is
// narrow enough: of fewer, too many look narrow by chance.
const (
	FewestGroups   = 12
	EarliestGroups = 20
)

// trim is the share of the groups that is cut off at each end, so that a few disturbed ones don't count. The coverage
// of other shares, and of other intervals, is in docs/limits.md.
const trim = 0.15

// mostRelated is the greatest autocorrelation that an interval is widened by: what seems to be more is chance, or a
// drift that no interval describes.
const mostRelated = 0.5

// Groups sums up what the groups of a pair showed: the ratio of the first figure to the second, and the range that
// holds the true one in 95 of 100 cases. It counts from the group on at which the ratio and both sides are steady: see
// steadyFrom. The ratio is the trimmed mean of the groups' ratios on a logarithmic scale.
// The range is Yuen's (Student's t with the winsorised variance; Biometrika 61, 1974), widened where a group resembles
// the one before. A group without a ratio, since one of its figures is 0, is left out and counted.
func Groups(figures [][2]float64) Interval {
	all, of, to := ratios(figures)
	i := Interval{OfGroups: true, N: len(all), LeftOut: len(figures) - len(all)}
	if i.N == 0 {
		return i
	}
	from := steadyFrom(all, of, to)
	if i.N-from < FewestGroups {
		from = 0
		if i.N >= FewestGroups {
			i.NeverSteady, i.Drift = true, shared.DriftOf(all)
		}
	}
	i.Warming, i.N = from, i.N-from
	logs := make([]float64, i.N)
	for n, r := range all[from:] {
		logs[n] = math.Log(r)
	}
	center, half := trimmed(logs)
	i.Center, i.Lo, i.Hi = math.Exp(center), math.Exp(center-half), math.Exp(center+half)
	return i
}

// steadyFrom is the group from which on a pair is steady: its ratio, and each side by itself. Two sides that have just
// connected warm up, and may do so alike. But whatever the machine does moves both sides, too. So a side has to drift
// clearly, and can't keep a pair from being steady.
func steadyFrom(all, of, to []float64) int {
	from := shared.SteadyFrom(all, shared.Slight, FewestGroups)
	for _, side := range [][]float64{of, to} {
		if n := shared.SteadyFrom(side, shared.Clear, FewestGroups); len(side)-n >= FewestGroups {
			from = max(from, n)
		}
	}
	return from
}

// ratios are those of the groups that have one, in order, and the figures that they are of.
func ratios(figures [][2]float64) (all, of, to []float64) {
	for _, f := range figures {
		if r := f[0] / f[1]; f[0] > 0 && f[1] > 0 && r > 0 && !math.IsInf(r, 0) {
			all, of, to = append(all, r), append(of, f[0]), append(to, f[1])
		}
	}
	return all, of, to
}

// HalfWidth is half the width of a ratio's interval as a share of the ratio, 0.05 for 0.95 to 1.05; without limit where
// there is no interval.
func HalfWidth(i Interval) float64 {
	if !i.Known() || i.Lo <= 0 {
		return math.Inf(1)
	}
	return math.Sqrt(i.Hi/i.Lo) - 1
}

// Enough says whether a pair whose groups come to that may end: they are steady, there are enough of them, and their
// interval is as narrow as asked for, which is half its width as a share of the ratio.
func (i Interval) Enough(until float64) bool {
	return i.Known() && !i.NeverSteady && i.N >= EarliestGroups && HalfWidth(i) <= until
}

// trimmed is the trimmed mean of values in the order in which they were measured, and half the width of its interval.
func trimmed(values []float64) (center, half float64) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	cut := int(trim * float64(n))
	lo, hi, left := sorted[cut], sorted[n-1-cut], float64(n-2*cut)
	center = stats.Mean(sorted[cut : n-cut])
	if left < 2 {
		return center, math.Inf(1)
	}
	winsorised := slices.Clone(values)
	for i, v := range winsorised {
		winsorised[i] = min(max(v, lo), hi)
	}
	mean, squares, products := stats.Mean(winsorised), 0.0, 0.0
	for i, v := range winsorised {
		squares += (v - mean) * (v - mean)
		if i > 0 {
			products += (v - mean) * (winsorised[i-1] - mean)
		}
	}
	t := stats.InvCDF(stats.TDist{V: left - 1})((1 + confidence) / 2)
	return center, t * math.Sqrt(squares/(left*(left-1))) * widening(products, squares, float64(n))
}

// widening is what a mean's interval is to be multiplied by since neighbours are related: by their autocorrelation r,
// sqrt((1+r)/(1-r)). What n values show of r is too small by (1+4r)/n (Marriott and Pope, Biometrika 41, 1954). The
// interval is never narrowed.
func widening(products, squares, n float64) float64 {
	if squares == 0 || n < 6 {
		return 1
	}
	r := (n*products/squares + 1) / (n - 4)
	r = min(max(r, 0), mostRelated)
	return math.Sqrt((1 + r) / (1 - r))
}
