package docs

import (
	"cmp"
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
	Experiments []named
	Side        []named `yaml:"side_experiments"`
}

type named struct {
	Name string
}

func readPlan(t *testing.T, lesson string) (p plan) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join("..", "k6", "lessons", lesson+".yaml"))), &p); err != nil {
		t.Fatalf("%s: %v", lesson, err)
	}
	return p
}

var (
	ofALesson = regexp.MustCompile(`^(0[1-9]|1[0-9])-[a-z]+`)
	// A run that a page proposes, of the page's own lesson where no other is named, and its experiments.
	proposal = regexp.MustCompile(`(?:scripts/run (\d\d-[a-z]+)[^` + "`" + `\n]*?)?--experiments ([a-z0-9,-]*[a-z0-9])` +
		`|scripts/run (\d\d-[a-z]+)`)
)

// A lesson's page names each of its side experiments. Every run that a page proposes is of a lesson that there is, with
// experiments that it has.
func TestPagesNameExperiments(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	lessons := 0
	for _, page := range append(pages, filepath.Join("..", "README.md")) {
		own, text := ofALesson.FindString(page), read(t, page)
		if own != "" {
			lessons++
			for _, side := range readPlan(t, own).Side {
				if !regexp.MustCompile("[`, ]" + side.Name + "[`, \n]").MatchString(text) {
					t.Errorf("%s says nothing of the side experiment %s", page, side.Name)
				}
			}
		}
		for _, found := range proposal.FindAllStringSubmatch(text, -1) {
			lesson := cmp.Or(found[1], found[3], own)
			if lesson == "" || page == "adding-a-lesson.md" && slices.Contains([]string{"20-one", "21-lock"}, lesson) {
				continue // of any lesson, or of the reader's own
			}
			p := readPlan(t, lesson)
			known := slices.Concat(p.Experiments, p.Side, []named{{"all"}, {""}})
			for name := range strings.SplitSeq(found[2], ",") {
				if !slices.Contains(known, named{name}) {
					t.Errorf("%s: %s has no experiment %s", page, lesson, name)
				}
			}
		}
	}
	if lessons < 9 {
		t.Errorf("there are %d pages of lessons", lessons)
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
