package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// A plan is what a page tells of: the names of a lesson's experiments.
type plan struct {
	Experiments, Side []named
}

type named struct {
	Name string
}

var (
	runs    = regexp.MustCompile(`scripts/run (\d\d-[a-z]+)([^` + "`" + `\n]*)`)
	options = regexp.MustCompile(`--experiments ([a-z0-9,-]*[a-z0-9])`)
)

func readPlan(t *testing.T, lesson string) plan {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "k6", "lessons", lesson+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Experiments []named
		Side        []named `yaml:"side_experiments"`
	}
	if err := yaml.Unmarshal(text, &p); err != nil {
		t.Fatalf("%s: %v", lesson, err)
	}
	return plan{p.Experiments, p.Side}
}

// has says whether --experiments takes the name.
func (p plan) has(name string) bool {
	return name == "all" || slices.Contains(slices.Concat(p.Experiments, p.Side), named{name})
}

// A lesson's page names each of its side experiments, and no experiment that the lesson doesn't have.
func TestPagesNameTheirExperiments(t *testing.T) {
	pages, err := filepath.Glob("0[1-9]-*.md")
	if err != nil || len(pages) < 8 {
		t.Fatalf("found %q (%v)", pages, err)
	}
	for _, page := range pages {
		p, text := readPlan(t, strings.TrimSuffix(page, ".md")), read(t, page)
		for _, side := range p.Side {
			if !regexp.MustCompile("[`, ]" + side.Name + "[`, \n]").MatchString(text) {
				t.Errorf("%s says nothing of the side experiment %s", page, side.Name)
			}
		}
		for _, found := range options.FindAllStringSubmatch(text, -1) {
			for _, name := range strings.Split(found[1], ",") {
				if !p.has(name) {
					t.Errorf("%s: the lesson has no experiment %s", page, name)
				}
			}
		}
	}
}

// Every run that a page proposes is of a lesson that there is, with experiments that it has.
func TestProposedRunsExist(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, filepath.Join("..", "README.md")) {
		for _, run := range runs.FindAllStringSubmatch(read(t, page), -1) {
			if page == "adding-a-lesson.md" && run[1] == "20-one" {
				continue // the reader's own
			}
			p := readPlan(t, run[1])
			for _, found := range options.FindAllStringSubmatch(run[2], -1) {
				for _, name := range strings.Split(found[1], ",") {
					if !p.has(name) {
						t.Errorf("%s: %s has no experiment %s", page, run[1], name)
					}
				}
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
