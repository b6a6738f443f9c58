package chart

import "strings"

// A Path is one as the run took it: a row of the picture of all.
type Path struct {
	Name string
	// Stops are what it goes through, from the client on: the ones at the same place stand in one.
	Stops []string
	// Link is the stop before which latency was put, from 1; 0 is nowhere.
	Link int
	// Measured are the round trips on the link, each as words; of those that it has no room for, the middle ones are
	// left out.
	Measured []string
	Plain    string // round trip without the proxy, "" where it wasn't measured
	Off      string // why none of it was measured
}

// Sizes of the picture of the paths.
const (
	pathHeight = 76.0
	offHeight  = 32.0 // of a path that isn't available
	stopWidth  = 144.0
	stopHeight = 30.0
	pathTop    = 30.0
	plainWidth = 104.0
)

// Paths draws a row a path: its stops from left to right, its links between them, and on the link under study the
// round trips measured.
func Paths(id string, paths []Path) Drawing {
	d := Drawing{ID: id, Title: "The paths of this run and their round trips", Width: width}
	d.add(text("head", 2, 18, "path; on its link the round trip set → measured, ms"),
		text("head end", width-2, 18, "without proxy, ms"))
	top := pathTop
	for _, p := range paths {
		d.add(line("grid", 0, top, width, top), text("path", 2, top+20, p.Name))
		if p.Off != "" {
			d.add(text("off", 24+widthOf(p.Name), top+20, "not available: "+p.Off))
			top += offHeight
			continue
		}
		d.path(p, top+48)
		if p.Plain != "" {
			d.add(text("figure end", width-2, top+53, p.Plain))
		}
		top += pathHeight
	}
	d.Height = top + 4
	return d
}

// path draws one row.
func (d *Drawing) path(p Path, middle float64) {
	const start = 2
	gap := (width - plainWidth - start - stopWidth*3) / 2 // three stops fill the row
	x := float64(start)
	for i, stop := range p.Stops {
		if i > 0 {
			length := gap
			if len(p.Stops) == 2 {
				length = 2*gap + stopWidth
			}
			d.link(p, i, x, x+length, middle)
			x += length
		}
		class := "stop"
		switch {
		case i == len(p.Stops)-1:
			class = "stop node"
		case i > 0:
			class = "stop pooler"
		}
		d.add(rect(class, x, middle-stopHeight/2, stopWidth, stopHeight), text("word middle", x+stopWidth/2, middle+5, stop))
		x += stopWidth
	}
}

// link draws the hop to the stop at i, with what was measured where that is the link under study.
func (d *Drawing) link(p Path, i int, x, end, middle float64) {
	if i != p.Link {
		d.add(line("hop", x, middle, end, middle))
		return
	}
	d.add(line("hop slow", x, middle, end, middle), text("figure middle", (x+end)/2, middle-9, fit(p.Measured, end-x)))
}

// fit joins as many parts as width has room for: those at the two ends first.
func fit(parts []string, width float64) string {
	const gap, left = ",  ", " … "
	if all := strings.Join(parts, gap); widthOf(all) <= width || len(parts) < 3 {
		return all
	}
	last := len(parts) - 1
	best := parts[0] + left + parts[last]
	for n := 2; n < last; n++ {
		some := strings.Join(parts[:n], gap) + left + parts[last]
		if widthOf(some) > width {
			break
		}
		best = some
	}
	return best
}
