package generator

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A Follower reads a file while a program writes it.
type Follower struct {
	File   string
	offset int64 // of the first byte not read yet
}

// Lines are those that were written since the last call, whole ones: the program may be writing another. There are none
// of a file that doesn't exist yet.
func (f *Follower) Lines() ([]byte, error) {
	file, err := os.Open(f.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.NewSectionReader(file, f.offset, 1<<62))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.File, err)
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	f.offset += int64(len(text))
	return text, nil
}
