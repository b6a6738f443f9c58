package test

import (
	"bytes"
	"fmt"
	"image"
	_ "image/png" // screenshots are
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// A page that somebody is lured to can't make their browser swap anything, whatever it says that it is.
func TestConsoleRefusesForeignPages(t *testing.T) {
	setLatency(t, "3ms", "client-primary")
	for _, origin := range []string{"http://evil.example", "null", "http://lab:8081", "http://127.0.0.1"} {
		status, said := post(t, origin, "/api/links/client-primary", `{"latency_ms": 77}`)
		if status != http.StatusForbidden || said == "" {
			t.Errorf("origin %s: status %d, %q, wanted a refusal", origin, status, said)
		}
	}
	for name, change := range map[string]func(*http.Request){
		"a foreign Host":     func(r *http.Request) { r.Host = "evil.example:8080" },
		"a form's type":      func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") },
		"from another site":  func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"neither said where": func(r *http.Request) { r.Header.Del("Origin") },
	} {
		r, err := http.NewRequestWithContext(
			t.Context(),
			http.MethodPost,
			consoleURL+"/api/links/client-primary",
			strings.NewReader(`{"latency_ms": 77}`),
		)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", consoleURL)
		r.Header.Set("Content-Type", "application/json")
		change(r)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode < 400 {
			t.Errorf("%s: status %d, wanted a refusal", name, answer.StatusCode)
		}
	}
	if row := links(t)["client-primary"]; row.LatencyMS != 3 {
		t.Errorf("a foreign page swapped the link: %d ms", row.LatencyMS)
	}
	if status, said := post(t, consoleURL, "/api/links/client-primary", `{"latency_ms": 4}`); status >= 300 {
		t.Errorf("the console's own page is refused: %d %s", status, said)
	}
	if row := links(t)["client-primary"]; row.LatencyMS != 4 {
		t.Errorf("the console's own page set %d ms, wanted 4", row.LatencyMS)
	}
}

// The first picture needs no JavaScript, and a page with all that it loads stays small.
func TestConsoleIsSmallAndDrawsItsMapAtOnce(t *testing.T) {
	answer, err := http.Get(consoleURL + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range consoleState(t).Links {
		if !strings.Contains(string(text), fmt.Sprintf(`data-link=%q`, l.Name)) {
			t.Errorf("the page as it is sent has no link %s on its map", l.Name)
		}
	}
	if p := answer.Header.Get("Content-Security-Policy"); !strings.Contains(p, "default-src 'none'") ||
		strings.Contains(p, "unsafe") {
		t.Errorf("content security policy %q", p)
	}
	for _, address := range []string{"/", "/lessons", "/runs"} {
		p := openTab(t, address)
		loaded := value[map[string]float64](
			p,
			`Object.fromEntries([...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
			.filter((entry) => !entry.name.endsWith('/events')).map((entry) => [entry.name, entry.decodedBodySize]))`,
		)
		sum := 0.0
		for name, size := range loaded {
			sum += size
			if !strings.HasPrefix(name, consoleURL) {
				t.Errorf("%s loads %s from elsewhere", address, name)
			}
		}
		t.Logf("%s: %d files, %.0f bytes", address, len(loaded), sum)
		if sum > 300_000 || sum < 20_000 {
			t.Errorf("%s and what it loads are %.0f bytes, wanted less than 300,000", address, sum)
		}
	}
}

// Neither a projector's width nor a phone's makes a page scroll sideways.
func TestConsoleFitsItsScreen(t *testing.T) {
	for _, size := range []struct{ width, height int64 }{{1280, 720}, {390, 844}} {
		for _, address := range []string{"/", "/lessons", "/lessons/05-balance", "/runs"} {
			p := openTab(t, address)
			p.do(chromedp.EmulateViewport(size.width, size.height), chromedp.Sleep(300*time.Millisecond))
			wide := value[int64](p, `document.documentElement.scrollWidth`)
			if wide > size.width {
				t.Errorf("%s is %d px wide on a screen of %d", address, wide, size.width)
			}
			inner := value[[]string](p, `[...document.querySelectorAll('main *')]
				.filter((e) => e.scrollWidth > e.clientWidth + 1 && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX))
				.filter((e) => e.clientWidth > 0 && e.tagName !== 'TEXTAREA')
				.map((e) => e.id || e.className || e.tagName)`)
			if len(inner) > 0 {
				t.Errorf("%s at %d px has parts that scroll sideways: %v", address, size.width, inner)
			}
		}
	}
}

// On a projector the curves stay where they are while somebody chooses another load, and charts that show nothing take
// no room.
func TestConsoleOptionsLeaveTheCurvesInPlace(t *testing.T) {
	p := openTab(t, "/")
	p.do(chromedp.EmulateViewport(1280, 720))
	startLiveLoad(t, p)
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
}

// Each link of the map bears its name, within its plate.
func TestConsoleMapNamesItsLinks(t *testing.T) {
	p := openTab(t, "/")
	for _, l := range consoleState(t).Links {
		fits := fmt.Sprintf(`(() => {
			const link = document.querySelector('.map [data-link=%q]');
			const name = link.querySelector('.link-name'), plate = link.querySelector('.plate');
			return name.textContent === %q && name.getBBox().width < plate.getBBox().width;
		})()`, l.Name, l.Name)
		if !value[bool](p, fits) {
			t.Errorf("the map doesn't have the name of %s within its plate", l.Name)
		}
	}
}

// light is how light a picture is in the middle, 0 to 1.
func light(t *testing.T, png []byte) float64 {
	t.Helper()
	picture, _, err := image.Decode(bytes.NewReader(png))
	if err != nil {
		t.Fatal(err)
	}
	sum, n := 0.0, 0
	for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y += 7 {
		for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x += 7 {
			r, g, b, _ := picture.At(x, y).RGBA()
			sum, n = sum+float64(r+g+b)/3/0xffff, n+1
		}
	}
	return sum / float64(n)
}

// The pictures are kept among the results, for people to look at.
func TestConsoleIsDarkWhereTheScreenAsksForIt(t *testing.T) {
	p := openTab(t, "/")
	shots := map[string]float64{}
	shoot := func(name string) {
		var png []byte
		p.do(chromedp.Sleep(500*time.Millisecond), chromedp.CaptureScreenshot(&png))
		shots[name] = light(t, png)
		if err := os.WriteFile(filepath.Join(results, "console-"+name+".png"), png, 0o644); err != nil {
			t.Error(err)
		}
	}
	for _, scheme := range []string{"light", "dark"} {
		p.do(
			emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		)
		shoot(scheme)
	}
	p.keys("dd") // dark, then light, whatever the screen asks for
	shoot("chosen-light")
	if shots["light"] < 0.7 || shots["dark"] > 0.3 || shots["chosen-light"] < 0.7 {
		t.Errorf("how light the pictures are: %v", shots)
	}
}

// A tab that nobody sees closes its connection, and is live again when it is shown.
func TestConsoleTabThatIsHiddenCostsNothing(t *testing.T) {
	setLatency(t, "off")
	p := openTab(t, "/")
	hide := func(hidden bool) {
		p.do(
			chromedp.Evaluate(
				fmt.Sprintf(
					`Object.defineProperty(document, 'hidden', {value: %t, configurable: true});
					document.dispatchEvent(new Event('visibilitychange'))`,
					hidden,
				),
				nil,
			),
		)
	}
	set := `document.querySelector('[data-link="client-primary"] .set').textContent`
	hide(true)
	p.until("the page says that it pauses", 5*time.Second, `document.getElementById('connection').dataset.is === 'still'`)
	setLatency(t, "44ms", "client-primary")
	time.Sleep(3 * time.Second)
	if shown := value[string](p, set); shown != "set 0 ms" {
		t.Errorf("a hidden tab goes on: it shows %q", shown)
	}
	hide(false)
	p.until(
		"it is live again",
		20*time.Second,
		`document.getElementById('connection').dataset.is === 'live' && `+number(directPlate)+" >= 44",
	)
}
