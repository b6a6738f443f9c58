package console

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pooler-lab/internal/lesson"
)

// A LessonEntry is a lesson in the list.
type LessonEntry struct {
	Name       string     `json:"name"`
	Number     string     `json:"number"`
	Title      string     `json:"title"`
	Question   string     `json:"question"`
	Prediction string     `json:"prediction"` // what to commit to before the figures show, as a question
	Minutes    float64    `json:"minutes"`
	Paths      []Choice   `json:"paths"`     // that it measures
	Headlines  []Headline `json:"headlines"` // that it claims
	Runs       int        `json:"runs"`
	Trouble    string     `json:"trouble"` // why it can't be read
}

// A Headline is a comparison that a lesson claims.
type Headline struct {
	Name string `json:"name"`
	Says string `json:"says"`
}

// A catalog has read the lessons. Reading one starts a k6, so it is kept until the file changes.
type catalog struct {
	dir string

	mu   sync.Mutex
	read map[string]cataloged
}

// A cataloged lesson is what was read of a file of that age.
type cataloged struct {
	changed time.Time
	lesson  *lesson.Lesson
	err     error
}

func newCatalog(root string) *catalog {
	return &catalog{dir: filepath.Join(root, "k6", "lessons"), read: map[string]cataloged{}}
}

// find returns a lesson by its full name. While something measures none is read: lockedBy says what.
func (c *catalog) find(ctx context.Context, name, lockedBy string) (*lesson.Lesson, error) {
	file := filepath.Join(c.dir, name+".js")
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("find lesson %s: %w", name, err)
	}
	c.mu.Lock() // for as long as reading takes: who else asks wants the same
	defer c.mu.Unlock()
	if known, ok := c.read[name]; ok && known.changed.Equal(info.ModTime()) {
		return known.lesson, known.err
	}
	if lockedBy != "" {
		return nil, fmt.Errorf("lesson %s hasn't been read yet, and isn't just now: %s", name, lockedBy)
	}
	l, err := lesson.Read(ctx, file)
	if ctx.Err() == nil {
		c.read[name] = cataloged{info.ModTime(), l, err}
	}
	return l, err
}

// lessonNamed returns the entry of a lesson and the lesson.
func (p *parts) lessonNamed(ctx context.Context, name string) (LessonEntry, *lesson.Lesson, error) {
	names, err := lesson.Names(p.catalog.dir)
	if err != nil {
		return LessonEntry{}, nil, err
	}
	if !slices.Contains(names, name) {
		_, err := lesson.Find(p.catalog.dir, name) // says what is near to it
		if err == nil {
			err = fmt.Errorf("give the lesson's full name, one of %s", strings.Join(names, ", "))
		}
		return LessonEntry{}, nil, &problem{http.StatusNotFound, err.Error()}
	}
	number, _, _ := strings.Cut(name, "-")
	entry := LessonEntry{Name: name, Number: number, Paths: []Choice{}, Headlines: []Headline{}}
	l, err := p.catalog.find(ctx, name, p.lock.text())
	if err != nil {
		entry.Trouble = err.Error()
		return entry, nil, nil
	}
	entry.Title, entry.Question, entry.Prediction, entry.Minutes = l.Title, l.Question, l.Prediction, l.Minutes
	for _, h := range l.Comparisons {
		entry.Headlines = append(entry.Headlines, Headline{h.Name, h.Says})
	}
	for _, way := range p.source.Set.Paths {
		if measures(l, way.Name, way.ApplicationPool) {
			entry.Paths = append(entry.Paths, Choice{way.Name, way.Meaning, way.Unavailable()})
		}
	}
	return entry, l, nil
}

// measures says whether some group of the lesson asks for the path.
func measures(l *lesson.Lesson, name string, ownPool bool) bool {
	return slices.ContainsFunc(l.Experiments, func(g lesson.Experiment) bool {
		return slices.Contains(g.Paths, name) || slices.Contains(g.Paths, "*") && !ownPool
	})
}

// lessonList is the data of the page of all lessons.
func (p *parts) lessonList(r *http.Request) (title string, data any, err error) {
	names, err := lesson.Names(p.catalog.dir)
	if err != nil {
		return "", nil, err
	}
	runs, err := p.runEntries()
	if err != nil {
		return "", nil, err
	}
	entries := []LessonEntry{}
	for _, name := range names {
		entry, _, err := p.lessonNamed(r.Context(), name)
		if err != nil {
			return "", nil, err
		}
		for _, run := range runs {
			if run.Lesson == name {
				entry.Runs++
			}
		}
		entries = append(entries, entry)
	}
	return "Lessons", map[string]any{"lessons": entries}, nil
}

// lessonPage is the data of one lesson's page.
func (p *parts) lessonPage(r *http.Request) (title string, data any, err error) {
	entry, _, err := p.lessonNamed(r.Context(), r.PathValue("name"))
	if err != nil {
		return "", nil, err
	}
	runs, err := p.runEntries()
	if err != nil {
		return "", nil, err
	}
	runs = slices.DeleteFunc(runs, func(run RunEntry) bool { return run.Lesson != entry.Name })
	entry.Runs = len(runs)
	var revealed *RunDetail
	if id := r.URL.Query().Get("run"); id != "" {
		if revealed, err = p.revealed(entry.Name, id); err != nil {
			return "", nil, err
		}
	}
	return strings.TrimSuffix(entry.Name+": "+entry.Title, ": "), map[string]any{"lesson": entry, "runs": runs, "revealed": revealed}, nil
}

// revealed is a run of the lesson, once it has ended.
func (p *parts) revealed(lesson, id string) (*RunDetail, error) {
	run, err := p.runDetail(id)
	if err != nil {
		return nil, err
	}
	if run.Lesson != lesson {
		return nil, &problem{http.StatusNotFound, fmt.Sprintf("%s is a run of %s, not of %s", id, run.Lesson, lesson)}
	}
	if run.Status == "running" {
		return nil, &problem{http.StatusConflict, fmt.Sprintf("run %s is still running: its figures show when it has ended", id)}
	}
	return run, nil
}

// readAhead reads the lessons while nobody waits for them.
func (p *parts) readAhead(ctx context.Context) {
	names, err := lesson.Names(p.catalog.dir)
	if err != nil {
		p.log.Print(err)
		return
	}
	for _, name := range names {
		if ctx.Err() != nil || p.lock.text() != "" {
			return
		}
		if _, err := p.catalog.find(ctx, name, p.lock.text()); err != nil && ctx.Err() == nil {
			p.log.Print(err)
		}
	}
}
