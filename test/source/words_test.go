package source

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// gone are names that the lab had before it took the field's words: identifiers, keys, columns, flags, packages.
var gone = map[string]*regexp.Regexp{
	"keys":        regexp.MustCompile(`\b(?:asked_ms|put_back|pod_pools?|headlines|load_turn_\w+)\b`),
	"identifiers": regexp.MustCompile(`\b(?:AskedMS|[Pp]utBack|Pod(?:s|Pools?)|Headlines?|Judgement|Lookout|Janitors?)\b`),
	"rooms":       regexp.MustCompile(`\b[Jj]ourneys?\b|\b[Ss]ights\b|\b[Ww]itness(?:es)?\b`),
	"limits":      regexp.MustCompile(`(?i)budget`),
	"columns":     regexp.MustCompile(`\bturn p\d\d\b|\+ 1st stmt|\bpaced\b`),
	"flags":       regexp.MustCompile(`--(?:groups|pods|pod-pools|unbudgeted)\b`),
	"packages":    regexp.MustCompile(`internal/(?:path|figure|claim|page|drawing|trust)\b`),
	"scripts":     regexp.MustCompile(`scripts/trust\b|\bpg\.barrier\b`),
}

// names are the files whose old names are what they are about: they say what became of them.
var names = []string{"internal/run/options.go", "test/scripts_test.go", "test/source/words_test.go"}

// No old name stands in code, in what a program prints, or in what configures it.
func TestOldNamesAreGone(t *testing.T) {
	folders := []string{".env", "cmd", "compose.yaml", "configs", "images", "internal", "k6", "scripts", "test"}
	for _, folder := range folders {
		walk(t, folder, func(file string, text []byte) {
			name, err := filepath.Rel(root, file)
			if err != nil || slices.Contains(names, filepath.ToSlash(name)) || strings.Contains(name, "testdata") {
				return
			}
			for number, line := range strings.Split(string(text), "\n") {
				for kind, old := range gone {
					if found := old.FindString(line); found != "" {
						t.Errorf("%s:%d has %q (%s)", name, number+1, found, kind)
					}
				}
			}
		})
	}
}
