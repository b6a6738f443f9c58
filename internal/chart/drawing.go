// Package chart draws what a report shows as pictures: charts, intervals, groups of slots. A drawing holds
// shapes and classes and no colours, so that one stylesheet makes it light, dark and fit for paper.
package chart

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"pooler-lab/internal/metric"
)

// A Drawing is a picture of its own coordinates, which begin at the top left.
type Drawing struct {
	ID            string // unique within its page
	Title         string
	Description   string // for who doesn't see it
	Width, Height float64
	Marks         []Mark
}

// A Mark is one shape of a drawing.
type Mark struct {
	Shape string // line, rect, circle, path or text
	Class string // what the stylesheet knows it by
	// X and Y are where it begins; of a circle the middle, of a text the baseline's start, middle or end.
	X, Y float64
	// X2 and Y2 are a line's end, a rectangle's width and height; X2 is a circle's radius.
	X2, Y2 float64
	Text   string
	Path   string // of a path, as SVG has it
	Tip    string // what a pointer that rests on it is told
}

// add adds marks on top of those there are.
func (d *Drawing) add(marks ...Mark) { d.Marks = append(d.Marks, marks...) }

func line(class string, x, y, x2, y2 float64) Mark {
	return Mark{Shape: "line", Class: class, X: tenth(x), Y: tenth(y), X2: tenth(x2), Y2: tenth(y2)}
}

func rect(class string, x, y, width, height float64) Mark {
	return Mark{Shape: "rect", Class: class, X: tenth(x), Y: tenth(y), X2: tenth(width), Y2: tenth(height)}
}

func circle(class string, x, y, radius float64) Mark {
	return Mark{Shape: "circle", Class: class, X: tenth(x), Y: tenth(y), X2: tenth(radius)}
}

func text(class string, x, y float64, words string) Mark {
	return Mark{Shape: "text", Class: class, X: tenth(x), Y: tenth(y), Text: words}
}

// cross is a saltire around a point.
func cross(class string, x, y, size float64) Mark {
	return path(class, fmt.Sprintf("M%g %gL%g %gM%g %gL%g %g", tenth(x-size), tenth(y-size), tenth(x+size), tenth(y+size),
		tenth(x-size), tenth(y+size), tenth(x+size), tenth(y-size)))
}

func path(class, d string) Mark { return Mark{Shape: "path", Class: class, Path: d} }

// polyline joins points.
func polyline(class string, points [][2]float64) Mark {
	var d strings.Builder
	for i, p := range points {
		fmt.Fprintf(&d, "%c%g %g", "ML"[min(i, 1)], tenth(p[0]), tenth(p[1]))
	}
	return path(class, d.String())
}

// tenth rounds a coordinate: more digits would say nothing and fill the file.
func tenth(v float64) float64 { return math.Round(v*10) / 10 }

// letter is about how wide one is in the widest of the fonts that systems have, at the size that the stylesheet gives a
// drawing's text.
const letter = 8.8

func widthOf(text string) float64 { return letter * float64(utf8.RuneCountInString(text)) }

// widest is the width of the widest name, at most most.
func widest[T any](all []T, name func(T) string, most float64) float64 {
	width := 0.0
	for _, one := range all {
		width = max(width, widthOf(name(one)))
	}
	return min(width, most)
}

// Number writes v with as many digits as it has meaning, thousands apart: 0.312, 5.24, 52.4, 524, 11 642.
func Number(v float64) string { return Grouped(metric.Number(v)) }

// Grouped sets the thousands of a number of five digits or more apart.
func Grouped(number string) string {
	whole, rest, _ := strings.Cut(number, ".")
	if rest != "" {
		rest = "." + rest
	}
	if len(strings.TrimPrefix(whole, "-")) < 5 {
		return number
	}
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "\u202f" + whole[i:]
	}
	return whole + rest
}
