package test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"pooler-lab/internal/result"
	"pooler-lab/test/testkit"
)

// What the browser itself notes of a refusal that a test provokes.
var (
	badRequest = regexp.MustCompile(`status of 400`)
	locked     = regexp.MustCompile(`status of 423`)
)

// shortPlan asks what can have but one answer.
const shortPlan = `title: Two cells
question: What do 50 ms of round trip leave?
prediction: How much is left of what two clients get without latency?
explanation: Who waits for each answer gets one a round trip.
minutes: 0.5
experiments:
  - name: series
    workload: select
    paths: [direct]
    clients: [2]
    latencies: [0, 50]
    seconds: 0.8
    warmup_seconds: 0.3
    metrics: [tps]
comparisons:
  - name: far
    text: TPS at 50 ms, to without
    metric: tps
    of: {experiment: series, latency_ms: 50}
    to: {experiment: series, latency_ms: 0}
`

// checkLesson runs a lesson that lasts and cancels it while a load runs on another page, the watcher. Then it commits
// to a prediction of a short one, which is shown beside the report once the lesson has run.
func checkLesson(t *testing.T, watcher *tab, b *browser) {
	const name, comparison = "90-console", "TPS at 50 ms, to without"
	lesson := filepath.Join(root, "k6", "lessons", name)
	saveLesson(t, lesson+".yaml", strings.Replace(shortPlan, "seconds: 0.8", "seconds: 1200", 1))
	saveLesson(t, lesson+".js", cellsScript)
	t.Cleanup(func() { // nothing runs afterwards, whatever becomes of the test
		if consoleState(t).Lesson != nil {
			post(t, "/api/lessons/cancel", "{}")
		}
		testkit.Eventually(t, func() string { return consoleState(t).Lock })
	})
	p := b.open("/lessons/" + name)
	p.t = t
	watcher.expect(locked)
	p.click("#without")
	p.until("the run's progress shows", `/of 2/.test(document.getElementById('cell').textContent)`)
	watcher.until("the banner shows",
		`!document.getElementById('lock').hidden && document.getElementById('dial').disabled`)
	watcher.until("the load is paused", `document.getElementById('load').dataset.state === 'paused'`)
	watcher.click("#lock .cancel")
	watcher.until("the banner goes",
		`document.getElementById('lock').hidden && !document.getElementById('dial').disabled`)
	const shows = `location.pathname.startsWith('/runs/') && document.querySelector('iframe.report') !== null`
	p.until("the run's page says that it was cancelled",
		shows+` && /interrupted/.test(document.querySelector('main').textContent)`)
	watcher.until("the load goes on",
		`document.getElementById('load').dataset.state === 'running' && `+number(directTPS)+" > 0")

	if err := os.WriteFile(lesson+".yaml", []byte(shortPlan), 0o644); err != nil {
		t.Fatal(err)
	}
	p.click("main > .acts .button") // run it again
	p.until("the page asks", `document.getElementById('predict')?.hidden === false`)
	p.live()
	p.do(chromedp.SendKeys("#words", "a fifth of it", chromedp.ByQuery))
	p.do(chromedp.Focus(".guess input", chromedp.ByQuery))
	p.do(chromedp.SetValue(".guess input", "-20", chromedp.ByQuery))
	const moved = `document.querySelector('.guess input').dispatchEvent(new Event('input', {bubbles: true}))`
	p.do(chromedp.Evaluate(moved, nil))
	p.click("#commit")
	p.until("the result shows", shows)
	has := func(text string, wanted ...string) {
		text = strings.ReplaceAll(text, "\u00a0", " ") // units stay with their numbers
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("the page lacks %q:\n%s", want, text)
			}
		}
	}
	has(value[string](p, `document.querySelector('main').textContent`), "a fifth of it", comparison, "0.22")
	if ran := consoleState(t).LastRun; ran == nil || ran.Status != string(result.Finished) {
		t.Fatalf("the last run is %+v, wanted it finished", ran)
	}
	p.do(chromedp.Navigate(value[string](p, `document.querySelector('iframe.report').src`)))
	has(value[string](p, `document.body.textContent`), comparison, "Who waits for each answer")
	p.do(chromedp.Navigate("about:blank"))
}
