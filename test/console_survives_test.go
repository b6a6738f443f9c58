package test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// What goes away is shown, and shown again when it is back, without anyone touching the page. So it is with the lab's
// own container, which serves the page.
func TestConsoleOutlivesWhatItShows(t *testing.T) {
	setLatency(t, "off")
	defer recovered(t)
	p := openTab(t, "/")
	p.expected = regexp.MustCompile(`/events$`) // the browser's own word for a connection that broke
	node := func(name, is string) string {
		return fmt.Sprintf(`document.querySelector('.box[data-node=%s]').dataset.state === '%s'`, name, is)
	}
	for _, c := range []struct{ service, gone, back string }{
		{"pgbouncer", node("pgbouncer", "down"), node("pgbouncer", "up")},
		{"standby", node("standby", "down"), node("standby", "up")},
		{
			"toxiproxy",
			`/toxiproxy doesn't answer/.test(document.getElementById('map-note').textContent)`,
			number(directPlate) + " >= 0",
		},
	} {
		defer docker(t, "start", container(c.service))
		docker(t, "stop", "-t", "5", container(c.service))
		p.until(c.service+" is shown to be gone", 20*time.Second, c.gone)
		docker(t, "start", container(c.service))
		p.until(c.service+" is shown to be back", time.Minute, c.back)
	}

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
		time.Minute,
		`window.wasLost === true && document.getElementById('connection').dataset.is === 'live'`,
	)
	p.until("it measures again", 20*time.Second, number(directPlate)+" >= 0")
}
