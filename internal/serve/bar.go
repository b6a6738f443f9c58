package serve

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A bar draws the progress of a load: one line rewritten on a terminal, otherwise a line each tenth.
type bar struct {
	out      io.Writer
	title    string
	terminal bool
	start    time.Time
	tenth    int
}

// newBar starts a bar with that title.
func newBar(out io.Writer, terminal bool, title string) *bar {
	return &bar{out: out, title: title, terminal: terminal, start: time.Now(), tenth: -1}
}

// show draws the share done, from 0 to 1.
func (b *bar) show(done float64) {
	const width = 30
	if tenth := int(done * 10); !b.terminal {
		if tenth == b.tenth {
			return
		}
		b.tenth = tenth
	}
	full := int(done * width)
	line := fmt.Sprintf("%s [%s%s] %3.0f %%%s", b.title, strings.Repeat("#", full), strings.Repeat(".", width-full),
		done*100, b.left(done))
	if !b.terminal {
		fmt.Fprintln(b.out, line)
		return
	}
	fmt.Fprintf(b.out, "\r%s\x1b[K", line)
	if done >= 1 {
		fmt.Fprintln(b.out)
	}
}

func (b *bar) left(done float64) string {
	if done <= 0 || done >= 1 {
		return ""
	}
	spent := time.Since(b.start)
	return fmt.Sprintf("  %s left", (time.Duration(float64(spent)*(1-done)/done) + time.Second/2).Round(time.Second))
}
