package docs

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// A retired word is one that the lab had a word of its own for, and the field another. Names in code, keys, columns,
// flags and sentences use the field's.
type retired struct {
	old, now string
	pattern  *regexp.Regexp
	fine     *regexp.Regexp // what the pattern finds in other senses; nil: nothing
	in       []string       // folders and files; none: all
}

var (
	code   = []string{"internal", "cmd", "k6", "scripts", "docs/run.schema.json", "docs/lesson.schema.json"}
	prose  = []string{"docs", "README.md", "CONTRIBUTING.md", "results/README.md"}
	claims = []string{"docs", "README.md", "k6", "scripts", "cmd", "internal/lesson", "internal/plan", "internal/run", "internal/trial",
		"internal/report", "internal/outcome", "internal/console", "internal/selftest",
		"internal/result"}
)

var words = []retired{
	// Keys and identifiers
	{old: "group, a key", now: "experiment",
		pattern: re(`\bgroup=|\bgroup: '`), // a pair has groups of slots
		fine:    re(`role="group"|"groups?": +"experiments?"`)},
	{old: "figure, a metric", now: "metric", in: code,
		pattern: re(`"figure"|(^\s*|[{,] )figure:|\.figure\b|unknown figure|FiguresOf|figuresOf|figureOf` +
			`|\[\]Figure\b|figure\.[A-Z]|\bFigure\{`),
		fine: re(`text\.figure|"figure": +"metric"|\{Text: "figure"\}, \{Text: "the study"`)},
	{old: "asked_ms, put_back", now: "set_ms, restored", in: code,
		pattern: re(`\basked_ms\b|\bput_back\b|\bAskedMS\b|[Pp]utBack\b`)},
	{old: "headline", now: "comparison",
		pattern: re(`[Hh]eadlines?`),
		fine:    re(`"headlines": +"comparisons"`)},
	{old: "shape", now: "finding", in: claims,
		pattern: re(`\b[Ss]hapes?\b|[a-z]Shapes?\b|\bshapeOf`),
		fine:    re(`\.Shape "|words or shapes`)},
	{old: "pod", now: "app instance", in: code,
		pattern: re(`\b[Pp]ods?\b|PodPools?|podPools?|pod_pools?|[a-z]Pods?\b`),
		fine:    re(`"pod[a-z-]+": +"instance|10 pods with pools|twice the pods`)},
	{old: "budget", now: "limit",
		pattern: re(`[Bb]udget`)},
	{old: "turn", now: "iteration, response time, apply",
		pattern: re(`\b[Tt]urns?\b|\bTURNS\b|\bTurn[A-Z]|[a-z]Turns?\b`),
		fine: re(`[Tt]urns? [A-Za-z0-9 '-]{0,40}\b(on|off|into|out|away)\b` +
			`|\bin turns?\b|by turns|take turns`)},
	{old: "look, a sample", now: "sample",
		pattern: re(`"looks?"|\bLooks?\b|looks_|\ba look\b|each look\b|per look\b|\blooks (at|of) the server`),
		fine:    re(`^\s*(- )?(//|#)? ?Looks? (at|for|up|like)`)},
	{old: "1st stmt, first statement", now: "connect + first query",
		pattern: re(`1st stmt|connect_first_statement|connectFirstStatement|first_connect_statement`)},
	{old: "turn p50, service time", now: "response time",
		pattern: re(`turn p\d\d|turn mean|[Ss]ervice time`)},
	{old: "paced at", now: "open loop, ... iterations/s",
		pattern: re(`paced at`)},
	// Outcomes
	{old: "held, not held, can't say", now: "reproduced, not reproduced, inconclusive",
		pattern: re("[\"'`*][Cc]an't say|can't say:|\\bCantSay|\\bnot held\\b|\"held\"|'held'|[*]held[*]" +
			"|(seen .*|supports? |carry |proves )no claim\\b")},
	{old: "Judgement, Sight", now: "Finding, Reading: typed outcomes",
		pattern: re(`\bJudgements?\b|\b[Ss]ights?\b`)},
	{old: "ask a study again", now: "reproduce it", in: prose,
		pattern: re(`stud(y|ies) again`)},
	// Metaphors
	{old: "dear", now: "expensive, slower",
		pattern: re(`\b[Dd]ear(er|est)?\b`)},
	{old: "journey, lookout, witness, janitor, teach, expel", in: code,
		now:     "path, sampler, readings, drain, revoke: the plain name",
		pattern: re(`\b[Jj]ourneys?|\b[Ll]ookouts?|\b[Ww]itness|\b[Jj]anitors?|\bteach|\bexpel|\bcourse\b`),
		fine:    re(`[Oo]f course`)},
	// Names of workloads
	{old: "workloads with hyphens", now: "the exported names, in camelCase",
		pattern: re(`\b(select-heavy|tpcb-(one-row|function|pipeline)|long-query|bulk-(read|load)` +
			`|reconnect-(select|tpcb|each)|write-read|long-read|begin-write|in-begin)\b`),
		fine: re(`name: (long-query|bulk-read|bulk-load)\b`)},
}

func re(pattern string) *regexp.Regexp { return regexp.MustCompile("(?m)" + pattern) }

// TestWordsOfTheField reads whatever a person may read, and finds none of the retired words.
func TestWordsOfTheField(t *testing.T) {
	root := ".."
	var reading sync.WaitGroup
	defer reading.Wait()
	for _, top := range []string{"docs", "README.md", "CONTRIBUTING.md", "k6", "internal", "cmd", "scripts",
		"compose.yaml", ".env", "results/README.md"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			relative, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			reading.Go(func() {
				if err := readWords(t, name, filepath.ToSlash(relative)); err != nil {
					t.Error(err)
				}
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func readWords(t *testing.T, name, relative string) error {
	if relative == "docs/words_test.go" {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil || !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return err
	}
	var lines []string
	for _, w := range words {
		if !w.pattern.Match(text) { // most files have none
			continue
		}
		if lines == nil {
			lines = strings.Split(string(text), "\n")
		}
		for i, line := range lines {
			if found := w.find(relative, line); found != "" {
				t.Errorf("%s:%d says %q, the word is: %s", relative, i+1, found, w.now)
			}
		}
	}
	return nil
}

// find returns what the line has of the retired word, or nothing.
func (w retired) find(file, line string) string {
	isIn := func(in string) bool { return file == in || strings.HasPrefix(file, in+"/") }
	if len(w.in) > 0 && !slices.ContainsFunc(w.in, isIn) {
		return ""
	}
	if w.fine != nil {
		line = w.fine.ReplaceAllString(line, "")
	}
	return w.pattern.FindString(line)
}
