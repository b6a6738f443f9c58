package console

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"pooler-lab/internal/lesson"
)

// lessonFolder is where plans and scripts are.
func (p *parts) lessonFolder() string { return filepath.Join(p.root, "k6", "lessons") }

// lessonNamed returns a lesson as pages show it.
func (p *parts) lessonNamed(name string) (shownLesson, error) {
	file, err := lesson.Find(p.lessonFolder(), filepath.Base(name)) // no other script is one
	if err != nil {
		return shownLesson{}, &httpError{http.StatusNotFound, err.Error()}
	}
	l, err := lesson.Read(file)
	if err != nil {
		name := strings.TrimSuffix(filepath.Base(file), ".js")
		return shownLesson{Lesson: &lesson.Lesson{About: lesson.About{Name: name}}, Trouble: err.Error()}, nil
	}
	shown := shownLesson{Lesson: l}
	for _, path := range p.source.Set.Paths {
		if measures(l, path.Name, path.NamedOnly) {
			shown.Paths = append(shown.Paths, choice{path.Name, path.Meaning, path.Unavailable})
		}
	}
	return shown, nil
}

// measures says whether some experiment of the lesson has the path.
func measures(l *lesson.Lesson, name string, namedOnly bool) bool {
	return slices.ContainsFunc(l.Experiments, func(e lesson.Experiment) bool {
		return slices.Contains(e.Paths, name) || slices.Contains(e.Paths, "*") && !namedOnly
	})
}

// lessonsPage lists all lessons.
func (p *parts) lessonsPage(*http.Request) (title string, data any, err error) {
	names, err := lesson.Names(p.lessonFolder())
	if err != nil {
		return "", nil, err
	}
	runs := map[string]int{}
	for _, run := range p.runs() {
		if !run.Unreadable { // as on the lesson's own page
			runs[run.Lesson.Name]++
		}
	}
	var all []shownLesson
	for _, name := range names {
		shown, err := p.lessonNamed(name)
		if err != nil {
			return "", nil, err
		}
		shown.Runs = runs[name]
		all = append(all, shown)
	}
	return "Lessons", all, nil
}

// lessonPage shows one lesson.
func (p *parts) lessonPage(r *http.Request) (title string, data any, err error) {
	shown, err := p.lessonNamed(r.PathValue("name"))
	if err != nil {
		return "", nil, err
	}
	page := lessonPage{Lesson: shown, Runs: p.runsOf(shown.Name)}
	return strings.TrimSuffix(shown.Name+": "+shown.Title, ": "), page, nil
}
