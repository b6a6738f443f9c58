package test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	webconsole "pooler-lab/internal/console"
	"pooler-lab/test/testkit"
)

// What the tests look at, as selectors.
const (
	directPlate  = `[data-link="client-primary"] .measured`
	directTPS    = `tr[data-path="direct"] .tps`
	directP50    = `tr[data-path="direct"] .p50`
	directErrors = `tr[data-path="direct"] .errors`
)

// startLiveLoad starts a live load on the path direct alone, as a person would, and waits for its figures. It ends
// with the test.
func startLiveLoad(t *testing.T, p *tab) {
	t.Helper()
	stopLiveLoad(t)
	t.Cleanup(func() { stopLiveLoad(t) })
	p.until("the page knows that no load runs", `document.getElementById('load').dataset.state === 'off'`)
	p.click("#load-choice summary")
	p.do(chromedp.Evaluate(`document.querySelectorAll('[name=paths]').forEach((box) => {
		if (box.checked !== (box.value === 'direct')) box.click();
	})`, nil))
	p.click("#load-start")
	p.until("the load's figures show", number(directTPS)+" > 0 && "+number(directP50)+" > 0")
}

// stopLiveLoad ends the live load, whoever started it.
func stopLiveLoad(t *testing.T) {
	t.Helper()
	testkit.Eventually(t, func() string {
		if status, said := post(t, "/api/load/stop", "{}"); status >= 300 {
			return fmt.Sprintf("stop the live load: %d %s", status, said)
		}
		if s := consoleState(t).Load.State; s != webconsole.LoadOff {
			return "the live load is " + s
		}
		return ""
	})
}

// slide moves the slider to one of its steps with the mouse.
func (p *tab) slide(stop int) {
	p.t.Helper()
	at := value[[]float64](p, fmt.Sprintf(`(() => {
		const dial = document.getElementById('dial');
		dial.scrollIntoView({block: 'center', behavior: 'instant'});
		const box = dial.getBoundingClientRect(), thumb = 16;
		return [box.left + thumb / 2 + %d / dial.max * (box.width - thumb), box.top + box.height / 2];
	})()`, stop))
	p.do(chromedp.MouseClickXY(at[0], at[1]))
}

// swapped waits until a latency shows wherever it must: on the link, in the panel, in the round trip measured, in the
// load's p50. A busy machine adds to both, and never takes from them.
func (p *tab) swapped(ms int) {
	p.t.Helper()
	testkit.Eventually(p.t, func() string {
		if l := linkState(p.t, "client-primary"); l.LatencyMS != float64(ms) {
			return fmt.Sprintf("client-primary is set to %g ms, wanted %d", l.LatencyMS, ms)
		}
		return ""
	})
	p.until("the panel shows it", fmt.Sprintf(`document.getElementById('dial-text').textContent === '%d ms'`, ms))
	p.until("the map shows the round trip measured", fmt.Sprintf("%s >= %g", number(directPlate), float64(ms)-early))
	p.until("the load's p50 follows", fmt.Sprintf("%s >= %g", number(directP50), float64(ms)-early))
}

// The console is what a room looks at: one browser has it open for all that can be done there.
func TestConsole(t *testing.T) {
	setLatency(t, "off")
	b := openBrowser(t)
	p, other := b.open("/"), b.open("/")
	p.run("names its links", func(t *testing.T) { checkMap(t, p) })
	p.run("is dark where the screen asks for it", func(t *testing.T) { checkDark(t, p) })
	p.run("costs nothing while it is hidden", func(t *testing.T) { checkHidden(t, p, other) })
	p.run("shows swaps from elsewhere and sets exactly", func(t *testing.T) { checkExactly(t, p) })
	startLiveLoad(t, p)
	p.run("leaves the curves in place", func(t *testing.T) { checkCurves(t, p) })
	p.run("swaps by slider and by keyboard", func(t *testing.T) { checkSwaps(t, p) })
	p.run("cuts and restores", func(t *testing.T) { checkCut(t, p) })
	p.run("runs a lesson", func(t *testing.T) { checkLesson(t, p, b) })
	stopLiveLoad(t)
	other.do(chromedp.Navigate("about:blank")) // it would complain of a connection that breaks
	p.run("outlives what it shows", func(t *testing.T) { checkSurvives(t, p) })
	p.run("has small pages that fit their screen", func(t *testing.T) { checkPages(t, p) })
}

func checkSwaps(t *testing.T, p *tab) {
	setLatency(t, "off")
	p.swapped(0)
	p.click(`[data-link="client-primary"] .plate`)
	p.slide(12) // 75 ms
	p.swapped(75)
	p.keys("1s") // the first link, then to its slider
	if at := value[string](p, `document.activeElement.id`); at != "dial" {
		t.Fatalf("the key s leads to %q, wanted the slider", at)
	}
	p.keys(kb.End)
	p.swapped(200)
	says := value[string](p, `document.getElementById('dial').getAttribute('aria-valuetext')`)
	if says != "200 milliseconds on client-primary" {
		t.Errorf("the slider tells a screen reader %q", says)
	}
	p.keys(kb.ArrowLeft)
	p.swapped(150)
	p.keys("o")
	p.swapped(0)
	p.until("the load's p50 goes down, too", number(directP50)+" < 200")
}

// checkExactly swaps from a terminal, and enters latency, jitter and bandwidth.
func checkExactly(t *testing.T, p *tab) {
	setLatency(t, "33ms", "client-standby", "--jitter", "3ms")
	p.until(
		"a swap from a terminal shows",
		`document.querySelector('[data-link="client-standby"] .set').textContent === 'set 33 ±3 ms'`,
	)
	p.do(chromedp.SetValue("#link", "client-primary", chromedp.ByQuery))
	p.do(chromedp.Evaluate(`document.getElementById('link').dispatchEvent(new Event('change'))`, nil))
	for field, text := range map[string]string{"latency_ms": "12", "jitter_ms": "4", "down_kbps": "5000"} {
		p.do(chromedp.SetValue(fmt.Sprintf("#exact [name=%s]", field), text, chromedp.ByQuery))
	}
	p.click("#exact button")
	testkit.Eventually(t, func() string {
		l := linkState(t, "client-primary")
		if l.LatencyMS == 12 && l.JitterMS == 4 && l.DownKBps == 5000 && l.UpKBps == 0 {
			return ""
		}
		return fmt.Sprintf("client-primary is %+v", l)
	})
	p.expect(badRequest)
	p.do(chromedp.SetValue("#exact [name=jitter_ms]", "40", chromedp.ByQuery))
	p.click("#exact button")
	p.until(
		"a refusal is said",
		`!document.getElementById('trouble').hidden && /jitter/.test(document.getElementById('trouble').textContent)`,
	)
	if l := linkState(t, "client-primary"); l.JitterMS != 4 {
		t.Errorf("a refusal changed the link: %+v", l)
	}
}

func checkCut(t *testing.T, p *tab) {
	setLatency(t, "off")
	t.Cleanup(func() { script(t, "latency", "restore", "client-primary") })
	p.keys("1")
	p.click("#cut")
	p.until("the map shows the cut", fmt.Sprintf(`document.querySelector('%s').textContent === 'cut'`, directPlate))
	p.until("the load fails", number(directErrors)+" > 0 && "+number(directTPS)+" === 0")
	p.until("the errors have a chart", `!document.getElementById('chart-errors').hidden`)
	p.keys("c")
	p.until("the round trip is measured again", number(directPlate)+" >= 0")
	p.until("the load works again", number(directTPS)+" > 0 && "+number(directErrors)+" === 0")
	p.keys("x")
	p.until("a reset is said", `/connections ended/.test(document.getElementById('say').textContent)`)
	p.until("the load outlives it", number(directTPS)+" > 0 && "+number(directErrors)+" === 0")
}

// checkSurvives wants what goes away to be shown, and shown again when it is back, without anyone touching the page. So
// it is with the lab's own container, which serves the page.
func checkSurvives(t *testing.T, p *tab) {
	setLatency(t, "off")
	defer recovered(t)
	p.expect(regexp.MustCompile(`/events$`)) // the browser's own word for a connection that broke
	node := func(name, is string) string {
		return fmt.Sprintf(`document.querySelector('.box[data-node=%s]').dataset.state === '%s'`, name, is)
	}
	away := []string{container("pgbouncer"), container("standby"), container("toxiproxy")}
	defer docker(t, append([]string{"start"}, away...)...)
	docker(t, append([]string{"stop"}, away...)...)
	p.until("PgBouncer is shown to be gone", node("pgbouncer", "down"))
	p.until("the standby is shown to be gone", node("standby", "down"))
	p.until("toxiproxy is said to be gone",
		`/toxiproxy doesn't answer/.test(document.getElementById('map-note').textContent)`)
	docker(t, append([]string{"start"}, away...)...)
	p.until("PgBouncer is shown to be back", node("pgbouncer", "up"))
	p.until("the standby is shown to be back", node("standby", "up"))
	p.until("the map measures again", number(directPlate)+" >= 0")

	const watch = `new MutationObserver(([{ target }]) => { window.wasLost ||= target.dataset.is === 'lost' })
		.observe(document.getElementById('connection'), { attributes: true })`
	p.do(chromedp.Evaluate(watch, nil))
	kill(t, "lab")
	p.until("the page is live again, without a reload",
		`window.wasLost === true && document.getElementById('connection').dataset.is === 'live'`)
	p.until("it measures again", number(directPlate)+" >= 0")
}
