package console

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"pooler-lab/internal/result"
)

func TestWhoSharesTheServersWithTheLiveLoadIsTold(t *testing.T) {
	results := t.TempDir()
	root := &cobra.Command{Use: "lab"}
	psql, latency, off, run := &cobra.Command{Use: "psql"}, &cobra.Command{Use: "latency"}, &cobra.Command{Use: "off"},
		&cobra.Command{Use: "run"}
	latency.AddCommand(off)
	root.AddCommand(psql, latency, run)
	told := func(c *cobra.Command, args ...string) string {
		var notes bytes.Buffer
		WarnOfLiveLoad(c, args, results, &notes)
		return notes.String()
	}
	if text := told(psql); text != "" {
		t.Errorf("without a live load psql says %q", text)
	}
	over, err := result.HoldLive(results, "select on direct")
	if err != nil {
		t.Fatal(err)
	}
	defer over()
	for name, c := range map[string]*cobra.Command{"psql": psql, "latency": latency, "latency off": off} {
		text := told(c)
		if !strings.Contains(text, "live load runs (select on direct)") || strings.Count(text, "\n") != 1 {
			t.Errorf("%s says %q", name, text)
		}
	}
	if text := told(run) + told(psql, "--help"); text != "" {
		t.Errorf("a lesson, which pauses the load, or a help says %q", text)
	}
}
