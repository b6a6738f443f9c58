package test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	webconsole "pooler-lab/internal/console"
	"pooler-lab/test/testkit"
)

// consoleURL is where the console answers in the lab's network.
var consoleURL = cmp.Or(os.Getenv("LAB_TEST_CONSOLE"), "http://lab:8080")

// A browser is a Chromium, for all the pages that a test looks at.
type browser struct {
	t   *testing.T
	ctx context.Context
}

func openBrowser(t *testing.T) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1280, 720),
		chromedp.WSURLReadTimeout(oneTry()),          // until it has started
		chromedp.Flag("disable-dev-shm-usage", true)) // a container has 64 MB of it
	allocator, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	quiet := func(string, ...any) {} // this chromedp doesn't know all that a newer Chromium tells
	ctx, end := chromedp.NewContext(allocator, chromedp.WithErrorf(quiet), chromedp.WithLogf(quiet))
	t.Cleanup(func() {
		end()
		stop()
	})
	if err := chromedp.Run(ctx); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	return &browser{t, ctx}
}

// A tab is a page in a window of its own: none hides another.
type tab struct {
	t   *testing.T // the subtest that looks at it
	ctx context.Context

	mu         sync.Mutex
	complaints []string         // what the page wrote to its console as a warning or an error
	expected   []*regexp.Regexp // the complaints that tests provoke
}

// open opens a page of the console and waits until it is live. When the test ends, the page must have written no
// warning and no error to its console.
func (b *browser) open(address string) *tab {
	b.t.Helper()
	p := b.page(consoleURL + address)
	p.live()
	return p
}

// page opens any page; when the test ends, it must have complained of nothing.
func (b *browser) page(address string) *tab {
	b.t.Helper()
	ctx, closeTab := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	p := &tab{t: b.t, ctx: ctx}
	b.t.Cleanup(func() {
		closeTab()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, c := range p.complaints {
			if !slices.ContainsFunc(p.expected, func(e *regexp.Regexp) bool { return e.MatchString(c) }) {
				b.t.Errorf("%s wrote to the browser's console: %s", address, c)
			}
		}
	})
	chromedp.ListenTarget(ctx, p.hear)
	p.do(chromedp.Navigate(address))
	return p
}

// live waits until the page shows what happens.
func (p *tab) live() {
	p.t.Helper()
	p.until("the page is live", `document.getElementById('connection')?.dataset.is === 'live'`)
}

// run looks at the page in a subtest.
func (p *tab) run(name string, look func(t *testing.T)) {
	outer := p.t
	outer.Run(name, func(t *testing.T) {
		p.t = t
		defer func() { p.t = outer }()
		look(t)
	})
}

// expect has the page complain so.
func (p *tab) expect(complaint *regexp.Regexp) { p.expected = append(p.expected, complaint) }

// hear keeps what the page complains of.
func (p *tab) hear(event any) {
	complaint := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		complaint = e.ExceptionDetails.Error()
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning || e.Type == runtime.APITypeAssert {
			complaint = string(e.Type)
			for _, a := range e.Args {
				complaint += fmt.Sprintf(" %s", a.Value)
			}
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning {
			complaint = e.Entry.Text + " " + e.Entry.URL
		}
	}
	if complaint != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.complaints = append(p.complaints, complaint)
	}
}

// do has the browser act.
func (p *tab) do(actions ...chromedp.Action) {
	p.t.Helper()
	if err := p.try(actions...); err != nil {
		p.t.Fatalf("the browser: %v", err)
	}
}

func (p *tab) try(actions ...chromedp.Action) error {
	// The first call opens the tab, which ends with the context that it was given.
	if chromedp.FromContext(p.ctx).Target == nil {
		return chromedp.Run(p.ctx, actions...)
	}
	ctx, cancel := context.WithTimeout(p.ctx, oneTry())
	defer cancel()
	return chromedp.Run(ctx, actions...)
}

// click presses the mouse on the first element that the selector finds, once it can be seen.
func (p *tab) click(selector string) {
	p.t.Helper()
	p.do(
		chromedp.ScrollIntoView(selector, chromedp.ByQuery),
		chromedp.Click(selector, chromedp.ByQuery, chromedp.NodeVisible),
	)
}

// keys types.
func (p *tab) keys(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// value is what an expression yields in the page.
func value[T any](p *tab, expression string) T {
	p.t.Helper()
	var v T
	if err := p.try(chromedp.Evaluate(expression, &v)); err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for a condition of the page.
func (p *tab) until(what, condition string) {
	p.t.Helper()
	testkit.Eventually(p.t, func() string {
		holds := false
		if err := p.try(chromedp.Evaluate(condition, &holds)); err != nil || !holds {
			return fmt.Sprintf("%s: %s is false (%v)", what, condition, err)
		}
		return ""
	})
}

// number is the first one in the text of the element, in an expression of the page; NaN where there is none.
func number(selector string) string {
	return fmt.Sprintf(`parseFloat(document.querySelector(%q)?.textContent.replace(/[\u202f ]/g, ''))`, selector)
}

// consoleState is what /api/state says.
func consoleState(t *testing.T) webconsole.State {
	t.Helper()
	answer, err := http.Get(consoleURL + "/api/state")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var s webconsole.State
	if err := json.NewDecoder(answer.Body).Decode(&s); err != nil {
		t.Fatalf("read /api/state: %v", err)
	}
	return s
}

// linkState is what the console knows of a link.
func linkState(t *testing.T, name string) webconsole.Link {
	t.Helper()
	for _, l := range consoleState(t).Links {
		if l.Name == name {
			return l
		}
	}
	t.Fatalf("/api/state has no link %s", name)
	return webconsole.Link{}
}

// post sends a request to the console, and returns what it says: the reason where it refuses.
func post(t *testing.T, path, body string) (status int, said string) {
	t.Helper()
	answer, err := http.Post(consoleURL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode < 300 {
		return answer.StatusCode, string(text)
	}
	var refusal struct{ Error string }
	if err := json.Unmarshal(text, &refusal); err != nil {
		t.Fatalf("POST %s: status %d, and no JSON: %v", path, answer.StatusCode, err)
	}
	return answer.StatusCode, refusal.Error
}
