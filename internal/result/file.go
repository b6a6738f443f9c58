package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"pooler-lab/internal/shared"
)

// Write writes r as run.json into dir, whole or not at all.
func (r *Run) Write(dir string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", File, err)
	}
	return shared.WriteFile(filepath.Join(dir, File), append(text, '\n'))
}

// Read reads a run from its folder or its run.json.
func Read(name string) (*Run, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("find the run: %w", err)
	}
	if info.IsDir() {
		name = filepath.Join(name, File)
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no %s: give a run's folder", filepath.Dir(name), File)
	}
	if err != nil {
		return nil, fmt.Errorf("read the run: %w", err)
	}
	r := new(Run)
	if err := readable(text); err != nil {
		return nil, fmt.Errorf("%s %w", name, err)
	}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return r, nil
}

// readable returns an error where text has another version of the schema than this program's.
func readable(text []byte) error {
	var run struct{ Version int }
	switch err := json.Unmarshal(text, &run); {
	case err != nil:
		return fmt.Errorf("is no run: %w", err)
	case run.Version == 0:
		return errors.New("is no run: it has no version")
	case run.Version != Version:
		return fmt.Errorf("has version %d, and this program reads version %d. The version of the lab that wrote it reads it",
			run.Version, Version)
	}
	return nil
}
