package test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"
)

// What goes away is shown, and shown again when it is back, without anyone touching the page. So it is with the lab's
// own container, which serves the page.
func TestConsoleOutlivesWhatItShows(t *testing.T) {
	setLatency(t, "off")
	defer recovered(t)
	p := openBrowser(t).open("/")
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

	p.do(
		chromedp.Evaluate(
			`new MutationObserver(() => { window.wasLost ||= document.getElementById('connection').dataset.is === 'lost' })
		.observe(document.getElementById('connection'), { attributes: true })`,
			nil,
		),
	)
	kill(t, "lab")
	p.until(
		"the page is live again, without a reload",
		`window.wasLost === true && document.getElementById('connection').dataset.is === 'live'`,
	)
	p.until("it measures again", number(directPlate)+" >= 0")
}
