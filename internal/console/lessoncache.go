package console

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"pooler-lab/internal/lesson"
)

// A lessonCache has read the lessons. Reading one starts a k6, so it is kept until the file changes.
type lessonCache struct {
	dir string

	mu   sync.Mutex
	read map[string]lessonRead
}

// A lessonRead is what was read of a file of that age.
type lessonRead struct {
	changed time.Time
	lesson  *lesson.Lesson
	err     error
}

func newLessonCache(root string) *lessonCache {
	return &lessonCache{dir: filepath.Join(root, "k6", "lessons"), read: map[string]lessonRead{}}
}

// find returns a lesson by its full name. While something measures none is read: lockedBy says what.
func (c *lessonCache) find(ctx context.Context, name, lockedBy string) (*lesson.Lesson, error) {
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
		c.read[name] = lessonRead{info.ModTime(), l, err}
	}
	return l, err
}

// readAhead reads the lessons while nobody waits for them.
func (p *parts) readAhead(ctx context.Context) {
	names, err := lesson.Names(p.lessons.dir)
	if err != nil {
		p.log.Print(err)
		return
	}
	for _, name := range names {
		if ctx.Err() != nil || p.lock.text() != "" {
			return
		}
		if _, err := p.lessons.find(ctx, name, p.lock.text()); err != nil && ctx.Err() == nil {
			p.log.Print(err)
		}
	}
}
