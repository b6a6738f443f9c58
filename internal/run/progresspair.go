package run

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/pairing"
	"pooler-lab/internal/result"
	"pooler-lab/k6/summary"
)

// beyondLeast is the share of the time between its shortest and its longest that a pair is expected to take until the
// run has seen some.
const beyondLeast = 0.35

// A runningPair is the pair under way.
type runningPair struct {
	pair  result.Pair
	limit time.Duration
	name  string
	seen  bool // some group is complete, and these are of all that are
	PairStep
	left    time.Duration // that its groups take
	updated time.Time
}

// A PairStep is how far a pair is: its interval closes until half its width is what was asked for.
type PairStep struct {
	Groups int     `json:"groups"`
	Ratio  float64 `json:"ratio"`
	Lo     float64 `json:"lo,omitempty"` // of the ratio's interval, once there are enough groups
	Hi     float64 `json:"hi,omitempty"`
	Until  float64 `json:"until"` // share of the ratio
}

// addPairs adds the pairs of a run to what it is to do.
func (p *progress) addPairs(pairs []result.Pair, cells []lesson.Cell) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pairs = len(pairs)
	p.total += len(pairs)
	expected := 0.0
	for _, pair := range pairs {
		limit := p.pairLimit(pair, cells)
		p.paired.left += limit
		beyond := inSeconds(pair.AtMost) - pairing.Least(pair)
		expected += limit.Seconds() - (1-beyondLeast)*beyond.Seconds()
	}
	if len(pairs) > 0 {
		p.paired.said = expected / p.paired.left.Seconds()
	}
}

// howMany says of what the run consists.
func (p *progress) howMany() string {
	repeats := metric.Count(p.total-p.pairs, "repeat")
	if p.pairs == 0 {
		return repeats
	}
	return metric.Count(p.pairs, "pair") + " and " + repeats
}

// pairLimit is how long a pair may take.
func (p *progress) pairLimit(pair result.Pair, cells []lesson.Cell) time.Duration {
	warmup, extra := 0.0, time.Duration(0)
	for _, c := range cells {
		if c.ID == pair.Of || c.ID == pair.To {
			warmup, extra = max(warmup, c.Warmup), max(extra, firstExtra[p.kindOf(c)])
		}
	}
	return inSeconds(pair.AtMost+warmup) + extra + 2*time.Second // of which it finds out how long slots have to be
}

// startingPair says that the next pair begins.
func (p *progress) startingPair(pair result.Pair, of, to lesson.Cell) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running, p.block, p.began, p.loading, p.phase = true, pair.Block, p.now(), time.Time{}, "proving"
	p.pair = &runningPair{pair: pair, limit: p.pairLimit(pair, []lesson.Cell{of, to}), name: pairName(of, to),
		PairStep: PairStep{Until: pair.Until}}
	p.begin()
}

// groups says what the groups that are complete show: how many they are, how long each took, the interval of the pair's
// first metric, and half the width of the widest one. The time that is left follows from that: an interval narrows with
// the root of the number of groups.
func (p *progress) groups(n int, each time.Duration, i outcome.Interval, widest float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pair == nil {
		return
	}
	r := p.pair
	r.seen, r.Groups, r.Ratio, r.updated = true, n, i.Center, p.now()
	r.Lo, r.Hi = 0, 0
	wanted := float64(outcome.EarliestGroups)
	if i.Known() {
		r.Lo, r.Hi = i.Lo, i.Hi
	}
	if n >= outcome.EarliestGroups {
		wanted = max(wanted, float64(n)*math.Pow(widest/r.Until, 2)) // without limit where it isn't known how wide
	}
	most := inSeconds(r.pair.AtMost) - time.Duration(n)*each
	r.left = most
	if missing := max(0, wanted-float64(n)); missing*each.Seconds() < most.Seconds() {
		r.left = time.Duration(missing * float64(each))
	}
	p.draw()
}

// String is what people read of it: 24 groups, ratio 0.81 (0.78 to 0.85), until 5 %.
func (s PairStep) String() string {
	text := fmt.Sprintf("%d groups, ratio %s", s.Groups, ratio(s.Ratio))
	if s.Hi > 0 {
		text += fmt.Sprintf(" (%s to %s)", ratio(s.Lo), ratio(s.Hi))
	}
	return fmt.Sprintf("%s, until %.3g %%", text, 100*s.Until)
}

func ratio(v float64) string { return fmt.Sprintf("%.3g", v) }

// spentOnPair is how much of what the running pair was expected to take is over.
func (p *progress) spentOnPair() time.Duration {
	expected := p.paired.expected(p.pair.limit)
	if !p.pair.seen {
		return min(p.now().Sub(p.began), expected)
	}
	return expected - max(0, p.pair.left-p.now().Sub(p.pair.updated))
}

// more says that the cell has so many more repeats to run.
func (p *progress) more(c lesson.Cell, repeats int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plan(c, repeats)
}

// setBlocks says how many blocks there are.
func (p *progress) setBlocks(blocks int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blocks = blocks
}

// pairName names two cells: what they differ by, and then what they share.
func pairName(of, to lesson.Cell) string {
	own, shared := differ(of, to)
	return strings.Join(append([]string{own[summary.Of] + " : " + own[summary.To]}, shared...), ", ")
}

// sideNames name each of two cells by what the other one isn't.
func sideNames(of, to lesson.Cell) [summary.Sides]string {
	own, _ := differ(of, to)
	return own
}

// differ divides the names of two cells into what each has for itself and what they share.
func differ(of, to lesson.Cell) (own [summary.Sides]string, shared []string) {
	cells := [summary.Sides]lesson.Cell{of, to}
	var parts [summary.Sides][]string
	for side, c := range cells {
		parts[side] = pairParts(c, cells[1-side])
	}
	for side, c := range cells {
		var alone []string
		for _, part := range parts[side] {
			switch both := slices.Contains(parts[1-side], part); {
			case !both:
				alone = append(alone, part)
			case side == summary.Of:
				shared = append(shared, part)
			}
		}
		own[side] = strings.Join(alone, ", ")
		switch {
		case own[side] != "":
		case of.Experiment != to.Experiment:
			own[side] = c.Experiment
		default:
			own[side] = c.ID
		}
	}
	return own, shared
}

// pairParts are those of the cell's name, and what else the other cell of the pair hasn't.
func pairParts(c, other lesson.Cell) []string {
	parts := outcome.Parts(&result.Cell{Cell: c})
	for _, d := range lesson.Dimensions() {
		if d.Heading == "" || d.Name == "link" || d.Name == "latency_ms" { // the name has a latency where there is one
			continue
		}
		text := d.Text(d.Of(&c))
		if text != "" && text != d.Text(d.Of(&other)) && !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return parts
}
