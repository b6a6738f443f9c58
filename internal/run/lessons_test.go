package run

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/topology"
)

// longest is what a plain run of a lesson may take.
const longest = 5 * time.Minute

// planOf is the plan of a script, in order as far as it can be told without its cells.
func planOf(t *testing.T, script string) *lesson.Lesson {
	t.Helper()
	l, err := lesson.Read(script)
	if err != nil {
		t.Fatal(err)
	}
	if err := outcome.Check(l); err != nil {
		t.Fatal(err)
	}
	return l
}

// allLessons are the lab's paths and the scripts of its lessons.
func allLessons(t *testing.T) (*topology.Set, []string) {
	t.Helper()
	set, err := topology.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../k6/lessons/*.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lessons: %v", err)
	}
	return set, files
}

// Each selector of each lesson, and of the plans beside them, picks one of its cells, side experiments and full sizes
// included, and a plain run of a lesson ends within five minutes by its own countdown.
func TestLessons(t *testing.T) {
	set, files := allLessons(t)
	others := []string{"../../k6/crosscheck.js", "../../k6/selftest.js"}
	everything := []string{lesson.All}
	for _, file := range slices.Concat(files, others) {
		name := filepath.Base(file)
		for _, o := range []lesson.Override{{}, {Full: true}, {Experiments: everything},
			{Experiments: everything, Full: true}} {
			l := planOf(t, file)
			if o.Full && l.Full == nil {
				continue
			}
			if err := l.Apply(o); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			p, err := makePlan(l, set)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := outcome.CheckCells(l, p.asked); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !o.Full && o.Experiments == nil && !slices.Contains(others, file) {
				p.override = o
				e := newEstimate(p.document(0), p.expected())
				if takes := e.all(); takes > longest || e.left[atMost] > 0 && e.share == 0 {
					t.Errorf("%s takes %s, %v of the most that pairs and fixed work may take", name, takes, e.share)
				}
			}
		}
	}
}
