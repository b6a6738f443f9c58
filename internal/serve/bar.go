package serve

import (
	"fmt"
	"io"
	"time"
)

// A bar draws the progress of a load: a line each tenth.
type bar struct {
	out   io.Writer
	title string
	start time.Time
	tenth int // drawn last, -1 before the first
}

// newBar starts a bar with that title.
func newBar(out io.Writer, title string) *bar {
	return &bar{out: out, title: title, start: time.Now(), tenth: -1}
}

// show draws the share done, from 0 to 1, where another tenth is.
func (b *bar) show(done float64) {
	if tenth := int(done * 10); tenth != b.tenth {
		b.tenth = tenth
		fmt.Fprintf(b.out, "%s %3.0f %%%s\n", b.title, done*100, b.left(done))
	}
}

func (b *bar) left(done float64) string {
	if done <= 0 || done >= 1 {
		return ""
	}
	spent := time.Since(b.start)
	return fmt.Sprintf("  %s left", (time.Duration(float64(spent)*(1-done)/done) + time.Second/2).Round(time.Second))
}
