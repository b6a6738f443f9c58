package console

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"pooler-lab/internal/generator"
	"pooler-lab/internal/topology"
	"pooler-lab/k6/summary"
)

// k6Grace is how long k6 may take to end after it was asked to, before it is killed.
const k6Grace = 8 * time.Second

// start starts k6 for a load. What it says beside its seconds goes to log.
func (l *load) start(ctx context.Context, wanted wantedLoad, log *tail) (*generator.Process, error) {
	var err error
	if wanted.Scale, err = l.source.Scale(ctx); err != nil {
		return nil, err
	}
	told, err := json.Marshal(wanted)
	if err != nil {
		return nil, fmt.Errorf("write the live load for k6: %w", err)
	}
	return generator.Start(generator.Order{
		Program:  l.source.K6,
		Script:   filepath.Join(l.root, "k6", "live.js"),
		Output:   "live=" + wanted.metric,
		Env:      []string{"LAB_LIVE=" + string(told)},
		Password: topology.Password("app"),
		Clients:  wanted.Clients * len(wanted.Paths),
		Stdout:   &secondReader{hear: l.hear, log: log},
		Stderr:   log,
		Grace:    k6Grace,
	})
}

// secondReader takes in what k6 prints: a second on each line, and whatever else goes to the log.
type secondReader struct {
	hear func(summary.Second)
	log  *tail
	rest []byte // of a line that has not ended
}

func (s *secondReader) Write(text []byte) (int, error) {
	s.rest = append(s.rest, text...)
	for {
		whole, rest, ended := bytes.Cut(s.rest, []byte("\n"))
		if !ended {
			return len(text), nil
		}
		var line summary.Second
		if json.Unmarshal(whole, &line) == nil && line.Paths != nil {
			s.hear(line)
		} else {
			fmt.Fprintf(s.log, "%s\n", whole)
		}
		s.rest = rest
	}
}

// tail keeps the end of what a program says.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// tailSize is how many bytes a tail keeps.
const tailSize = 600

func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-tailSize):]
	return len(text), nil
}

// String is the end in one line, of whole letters.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(t.text), "")), " ")
}
