package pg

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"

	"pooler-lab/internal/shared"
)

// windowOptions are the options of pg.window.
type windowOptions struct {
	Clients int     `js:"clients"` // VUs that the window waits for, those of all cells
	Seconds float64 `js:"seconds"` // length of the window
	Cells   int     `js:"cells"`   // that are measured in it at once; one where it isn't given
	Cell    int     `js:"cell"`    // of this VU, from 0
	Opened  string  `js:"opened"`  // file to which the moment goes at which it opens, "" for none
	Stop    string  `js:"stop"`    // file that closes it before its seconds are over, once it exists; "" for none
	// Least and Most are seconds that the clients iterate, all at once, before it opens: it opens when their rate is
	// steady (shared.SteadyRate), or when the most is over. 0 and 0 have it open as soon as all clients are ready.
	Least float64 `js:"least"`
	Most  float64 `js:"most"`
}

// newWindow is pg.window(options): a VU's hand on the test's measured window. It opens when all clients are ready or
// have failed, however long that takes, and once they iterate at a steady rate, where options ask for that.
func (i *instance) newWindow(call sobek.FunctionCall) sobek.Value {
	var options windowOptions
	i.options("window", call.Argument(0), &options)
	if options.Clients < 1 || options.Seconds <= 0 {
		i.throw(fmt.Errorf("window: clients must be at least 1 and seconds above 0, got %+v", options))
	}
	if options.Least < 0 || options.Most < options.Least {
		i.throw(fmt.Errorf("window: least must be from 0 to most, got %+v", options))
	}
	options.Cells = max(1, options.Cells)
	if options.Cell < 0 || options.Cell >= options.Cells {
		i.throw(fmt.Errorf("window: cell must be from 0 to %d, got %d", options.Cells-1, options.Cell))
	}
	i.side, options.Cell = options.Cell, 0
	if _, err := i.phases.use("window", options, make([]int, options.Cells)...); err != nil {
		i.throw(err)
	}
	arrived := false
	arrive := func(ready bool) method {
		return func(sobek.FunctionCall) sobek.Value {
			i.requireTest("window")
			if !arrived {
				arrived, i.takesPart = true, true
				i.awaitWindow(ready, options)
			}
			return sobek.Undefined()
		}
	}
	return i.object(map[string]method{"ready": arrive(true), "fail": arrive(false), "over": i.over})
}

// awaitWindow counts a client as ready or failed and waits for the others. The last client opens the window, or has it
// opened once the rate is steady: until then the clients go on to iterate.
func (i *instance) awaitWindow(ready bool, options windowOptions) {
	opened, err := i.phases.arrive(i, ready, options)
	if err != nil {
		i.throw(err)
	}
	if opened == nil {
		return
	}
	select {
	case <-opened:
	case <-i.vu.Context().Done():
		i.throw(fmt.Errorf("wait for the window: %w", i.vu.Context().Err()))
	}
}

// arrive counts a client of a window and returns what is closed when that opens; nil where it has opened before. The
// error is of writing the moment.
func (p *phases) arrive(i *instance, ready bool, options windowOptions) (opens <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current.Load() != nil || p.warming != nil {
		return nil, nil
	}
	if own := &p.sides[i.side]; ready {
		own.ready++
	} else {
		own.failed++
	}
	opens = p.sides[0].begins
	if ready, failed := p.arrived(); ready+failed == options.Clients {
		if options.Most > 0 {
			p.warming = new(warming)
			p.letGo(0)
			go p.openWhenSteady(options)
			return opens, nil
		}
		err = noteMoment(options.Opened, p.beginOnly(shared.Seconds(options.Seconds)))
		if options.Stop != "" {
			go p.stopBy(options.Stop)
		}
	}
	return opens, err
}

// A warming is what clients do between the moment when all of them are ready and the opening of their window.
type warming struct {
	iterations atomic.Int64 // that ended since the last tick
	counts     []int64      // in each tick
}

// openWhenSteady opens the window once the clients iterate at a steady rate, or have done so for the most that options
// allow.
func (p *phases) openWhenSteady(options windowOptions) {
	ticks := time.NewTicker(shared.Tick)
	defer ticks.Stop()
	for began := time.Now(); ; {
		select {
		case <-ticks.C:
		case <-p.over.Done():
			return
		}
		p.mu.Lock()
		p.warming.counts = append(p.warming.counts, p.warming.iterations.Swap(0))
		took := time.Since(began)
		steady := took >= shared.Seconds(options.Least) && shared.SteadyRate(p.warming.counts)
		if steady || took >= shared.Seconds(options.Most) {
			p.beginOnly(shared.Seconds(options.Seconds))
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
	}
}

// stopBy closes the window once the file exists, unless it has closed before.
func (p *phases) stopBy(file string) {
	for looks := time.NewTicker(20 * time.Millisecond); ; <-looks.C {
		p.mu.Lock()
		over := !time.Now().Before(p.current.Load().to)
		if !over && exists(file) {
			over = true
			p.cut(time.Now())
			time.AfterFunc(p.patience, p.end)
		}
		p.mu.Unlock()
		if over {
			return
		}
	}
}

// exists reports whether a file is there; "" is none.
func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// noteMoment writes a moment to a file, "" for none.
func noteMoment(file string, moment time.Time) error {
	if file == "" {
		return nil
	}
	if err := shared.Replace(file, []byte(moment.UTC().Format(time.RFC3339Nano))); err != nil {
		return fmt.Errorf("note when the window opens: %w", err)
	}
	return nil
}

// unopened says how many clients a window still waited for that never opened; "" where it did, or where there is none.
// Its caller holds the lock.
func (p *phases) unopened() string {
	if !p.is("window") || p.current.Load() != nil {
		return ""
	}
	ready, _ := p.arrived()
	if clients := p.given.(windowOptions).Clients; p.warming == nil || ready < clients {
		return fmt.Sprintf("%d of %d clients were ready", ready, clients)
	}
	return "its clients' rate wasn't steady yet"
}

// arrived is how many clients of a window are ready or have failed, those of all cells. Its caller holds the lock.
func (p *phases) arrived() (ready, failed int) {
	for _, cell := range p.sides {
		ready, failed = ready+cell.ready, failed+cell.failed
	}
	return ready, failed
}

// over is window.over(): true once the window has closed. A client asks it after each iteration, so it counts them.
func (i *instance) over(sobek.FunctionCall) sobek.Value {
	open, now := i.phases.current.Load(), time.Now()
	switch {
	case open != nil:
		i.phases.tenths.count(open, now)
	case i.phases.warming != nil:
		i.phases.warming.iterations.Add(1)
	}
	return i.vu.Runtime().ToValue(open != nil && !now.Before(open.to))
}

// tenths are the iterations that ended in each tenth of a window.
type tenths [10]atomic.Int64

// count counts an iteration that ended now.
func (t *tenths) count(open *slot, now time.Time) {
	if now.Before(open.from) || !now.Before(open.to) {
		return
	}
	at := int64(len(t)) * int64(now.Sub(open.from)) / int64(open.to.Sub(open.from))
	t[at].Add(1)
}

// all are the counts in their order.
func (t *tenths) all() []int64 {
	counts := make([]int64, len(t))
	for i := range t {
		counts[i] = t[i].Load()
	}
	return counts
}
