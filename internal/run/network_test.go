package run

import (
	"testing"
	"testing/synctest"

	"pooler-lab/internal/link"
	"pooler-lab/internal/result"
)

// A link that is stalled at a run's end keeps no other one from being put back.
func TestStalledLinkAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links := &linksStandIn{stalled: "client-standby"}
		r := &runner{links: links, servers: new(serversStandIn), doc: new(result.Run)}
		r.restoreAll(link.Snapshot{{Name: "client-primary", Enabled: true}})
		if len(links.put) != 1 || r.doc.NotRestored != "" {
			t.Errorf("put back %v: %q", links.put, r.doc.NotRestored)
		}
	})
}
