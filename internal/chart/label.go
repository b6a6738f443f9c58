package chart

import (
	"cmp"
	"slices"

	"github.com/aclements/go-moremath/scale"
)

// A label is a series' name beside the end of its line.
type label struct {
	series Series
	x, y   float64 // the line's end
	at     float64 // where the name stands
}

// names writes each series' name at the right of the plot, as near to its line's end as the others let it.
func (p *plot) names() {
	var labels []label
	for _, s := range p.Series {
		if l, ok := p.end(s); ok && s.Name != "" {
			labels = append(labels, l)
		}
	}
	spread(labels)
	for _, l := range labels {
		p.drawing.add(line(l.series.class("leader"), l.x+8, l.y, p.right+6, l.at),
			text(l.series.class("name"), p.right+10, l.at+5, l.series.Name))
	}
}

// end is where the series' line ends.
func (p *plot) end(s Series) (label, bool) {
	l, found := label{series: s}, false
	for _, point := range s.Points {
		if x := p.x[point.Place]; p.shown(point) && (!found || x > l.x) {
			l.x, l.y, found = x, max(plotTop, p.y.at(point.Value)), true
		}
	}
	l.at = l.y
	return l, found
}

// spread pushes names apart that would stand on each other, and keeps them within the plot.
func spread(labels []label) {
	slices.SortStableFunc(labels, func(a, b label) int { return cmp.Compare(a.y, b.y) })
	for i := 1; i < len(labels); i++ {
		labels[i].at = max(labels[i].at, labels[i-1].at+labelGap)
	}
	lowest := plotBottom
	for i := len(labels) - 1; i >= 0; i-- {
		labels[i].at = min(labels[i].at, lowest)
		lowest = labels[i].at - labelGap
	}
}

// linear is the plain scale from least to most, or one around the only number there is.
func linear(least, most float64) *scale.Linear {
	if most <= least {
		least, most = least-1, least+1
	}
	return &scale.Linear{Min: least, Max: most}
}
