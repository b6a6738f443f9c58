package test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// A report opens from a file, without a network, on a projector, a phone, a dark screen and on paper. The pictures are
// kept among the results, for people to look at.
func TestReportOnScreensAndPaper(t *testing.T) {
	t.Parallel()
	p := openBrowser(t).page("file://" + filepath.Join(root, "internal", "report", "testdata", "latency.html"))
	for name, width := range map[string]int64{"projector": 1280, "phone": 390} {
		p.do(scheme("light"), emulation.SetDeviceMetricsOverride(width, 800, 1, false))
		if l := p.shoot("report-" + name); l < 0.7 {
			t.Errorf("%s: the page is %.2f light", name, l)
		}
		if over := value[float64](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%s: the page is %v pixels wider than the screen", name, over)
		}
	}
	p.do(scheme("dark"), emulation.SetDeviceMetricsOverride(1280, 800, 1, false))
	if l := p.shoot("report-dark"); l > 0.3 {
		t.Errorf("dark: the page is %.2f light", l)
	}
	// Paper is white, whatever the screen is, and holds no drawing or table that is cut off at its edge.
	dark := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}
	p.do(emulation.SetEmulatedMedia().WithMedia("print").WithFeatures(dark),
		emulation.SetDeviceMetricsOverride(688, 1000, 1, false)) // A4 less margins of 14 mm, at 96 pixels an inch
	if l := p.shoot("report-print"); l < 0.7 {
		t.Errorf("print: the page is %.2f light", l)
	}
	const cut = `[...document.querySelectorAll('table, svg')]
		.filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
		.map((e) => (e.caption || e.querySelector('title') || e).textContent)`
	if wide := value[[]string](p, cut); len(wide) > 0 {
		t.Errorf("print: cut off at the right are %q", wide)
	}
	var pdf []byte
	p.do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = page.PrintToPDF().WithPaperWidth(8.27).WithPaperHeight(11.69).Do(ctx)
		return err
	}))
	if err := os.WriteFile(filepath.Join(results, "report.pdf"), pdf, 0o644); err != nil {
		t.Error(err)
	}
	if len(pdf) < 20_000 {
		t.Errorf("the report on paper has %d bytes", len(pdf))
	}
}
