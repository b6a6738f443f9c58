package web

import "math"

// stops are the milliseconds that the slider can be moved to: fine where one matters, coarse where it doesn't.
var stops = []float64{0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100, 125, 150, 200}

// A dialled slider stands at the stop nearest to a latency.
type dialled struct {
	Stops    []float64
	MS       float64 // the latency itself
	At, Last int     // its stop, and the largest
}

// dial is the slider for the first of the state's links, which the page begins with.
func dial(links any) dialled {
	d := dialled{Stops: stops, Last: len(stops) - 1}
	if all, _ := links.([]any); len(all) > 0 {
		link, _ := all[0].(map[string]any)
		d.MS, _ = link["latency_ms"].(float64)
	}
	for i, stop := range stops {
		if math.Abs(stop-d.MS) < math.Abs(stops[d.At]-d.MS) {
			d.At = i
		}
	}
	return d
}
