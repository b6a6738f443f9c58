package test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"pooler-lab/test/testkit"
)

// checkPages wants each page with all that it loads to be small, and neither a projector's width nor a phone's to make
// it scroll sideways.
func checkPages(t *testing.T, p *tab) {
	for _, address := range []string{"/", "/lessons", "/lessons/05-balance", "/runs"} {
		p.do(chromedp.Navigate(consoleURL + address))
		p.live()
		checkSmall(t, p)
		for _, size := range []struct{ width, height int64 }{{390, 844}, {1280, 720}} {
			p.do(chromedp.EmulateViewport(size.width, size.height))
			checkFits(p, size.width)
		}
	}
}

// checkSmall adds up what the page loads.
func checkSmall(t *testing.T, p *tab) {
	t.Helper()
	const sizes = `[performance.getEntriesByType('navigation'), performance.getEntriesByType('resource')].flat()
		.filter((entry) => !entry.name.endsWith('/events')).map((entry) => [entry.name, entry.decodedBodySize])`
	loaded, sum := value[map[string]float64](p, `Object.fromEntries(`+sizes+`)`), 0.0
	for name, size := range loaded {
		sum += size
		if !strings.HasPrefix(name, consoleURL) {
			t.Errorf("it loads %s from elsewhere", name)
		}
	}
	t.Logf("%d files, %.0f bytes", len(loaded), sum)
	if sum > 300_000 || sum < 20_000 {
		t.Errorf("it and what it loads are %.0f bytes, wanted less than 300,000", sum)
	}
}

// checkFits waits until the page is drawn for a screen of that width, and no part of it is wider.
func checkFits(p *tab, width int64) {
	p.t.Helper()
	p.until("the page is no wider than the screen", fmt.Sprintf(
		`innerWidth === %d && document.documentElement.scrollWidth <= innerWidth`, width))
	p.until("no part scrolls sideways", `![...document.querySelectorAll('main *')]
		.filter((e) => e.scrollWidth > e.clientWidth + 1 && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX))
		.some((e) => e.clientWidth > 0 && e.tagName !== 'TEXTAREA')`)
}

// checkCurves wants the curves to stay where they are on a projector while somebody chooses another load, and charts
// that show nothing to take no room.
func checkCurves(t *testing.T, p *tab) {
	p.do(chromedp.Evaluate(`scrollTo(0, 0)`, nil))
	const ends = `['chart-tps', 'chart-response'].map((id) => document.getElementById(id).getBoundingClientRect().bottom)`
	before := value[[]float64](p, ends)
	if slices.Max(before) > 720 || slices.Min(before) == 0 {
		t.Errorf("the charts of TPS and response times end at %v, on a screen of 720", before)
	}
	p.click("#load-choice summary")
	const inSight = `(() => {
		const form = document.getElementById('load-form').getBoundingClientRect();
		return form.height > 100 && form.top >= 0 && form.left >= 0 && form.bottom <= innerHeight;
	})()`
	if !value[bool](p, inSight) {
		t.Error("the options don't fit the screen")
	}
	if after := value[[]float64](p, ends); !slices.Equal(after, before) {
		t.Errorf("the options move the ends of the charts from %v to %v", before, after)
	}
	const room = `[...document.querySelectorAll('.chart[hidden]')].map((chart) => chart.getBoundingClientRect().height)`
	if heights := value[[]float64](p, room); len(heights) > 0 && slices.Max(heights) > 0 {
		t.Errorf("charts that show nothing are %v px high", heights)
	}
	if wide := value[int64](p, `document.documentElement.scrollWidth`); wide > 1280 {
		t.Errorf("with its options open the page is %d px wide on a screen of 1280", wide)
	}
	p.click("#load-choice summary")
}

// checkMap wants each link of the map to bear its name, within its plate, and the others to be named in words.
func checkMap(t *testing.T, p *tab) {
	for _, l := range consoleState(t).Links {
		fits := fmt.Sprintf(`(() => {
			const link = document.querySelector('.map [data-link=%[1]q]');
			if (!link) return document.body.innerText.includes(%[1]q);
			const name = link.querySelector('.link-name'), plate = link.querySelector('.plate');
			return name.textContent === %[1]q && name.getBBox().width < plate.getBBox().width;
		})()`, l.Name)
		if !value[bool](p, fits) {
			t.Errorf("the map doesn't have the name of %s within its plate", l.Name)
		}
	}
}

// scheme has the screen ask for light or dark.
func scheme(value string) chromedp.Action {
	feature := &emulation.MediaFeature{Name: "prefers-color-scheme", Value: value}
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{feature})
}

// shoot keeps a picture of the page among the results, for people to look at, and returns how light its ground is, 0
// to 1.
func (p *tab) shoot(name string) (lightness float64) {
	p.t.Helper()
	var png []byte
	p.do(chromedp.CaptureScreenshot(&png))
	if err := os.WriteFile(filepath.Join(results, name+".png"), png, 0o644); err != nil {
		p.t.Error(err)
	}
	return value[float64](p, `(() => {
		const [r, g, b, a = 1] = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number);
		return a === 0 ? 1 : (r + g + b) / 765; // paper is white
	})()`)
}

// checkDark wants the page to be dark where the screen asks for it, or somebody does.
func checkDark(t *testing.T, p *tab) {
	shows := func(name string, wanted func(lightness float64) bool) {
		t.Helper()
		testkit.Eventually(t, func() string { // colours change gradually
			if l := p.shoot("console-" + name); !wanted(l) {
				return fmt.Sprintf("%s: the page is %.2f light", name, l)
			}
			return ""
		})
	}
	isLight := func(lightness float64) bool { return lightness >= 0.7 }
	isDark := func(lightness float64) bool { return lightness <= 0.3 }
	p.do(scheme("light"))
	shows("light", isLight)
	p.do(scheme("dark"))
	shows("dark", isDark)
	p.keys("dd") // dark, then light, whatever the screen asks for
	shows("chosen-light", isLight)
}

// checkHidden wants a tab that nobody sees to close its connection, and to be live again when it is shown. Another one
// is seen meanwhile.
func checkHidden(t *testing.T, p, other *tab) {
	setLatency(t, "off")
	hide := func(hidden bool) {
		p.do(chromedp.Evaluate(fmt.Sprintf(`Object.defineProperty(document, 'hidden', {value: %t, configurable: true});
			document.dispatchEvent(new Event('visibilitychange'))`, hidden), nil))
	}
	const set = `document.querySelector('[data-link="client-primary"] .set').textContent`
	p.until("no latency shows", set+" === 'set 0 ms'")
	hide(true)
	p.until("the page says that it pauses", `document.getElementById('connection').dataset.is === 'still'`)
	setLatency(t, "44ms", "client-primary")
	other.until("the other page shows the latency", set+" === 'set 44 ms'")
	if shown := value[string](p, set); shown != "set 0 ms" {
		t.Errorf("a hidden tab goes on: it shows %q", shown)
	}
	hide(false)
	p.live()
	p.until("it measures", number(directPlate)+" >= 44")
}
