package tool

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A module is one of the files that k6 would load.
type module struct{ file, text string }

// imported is what a line of a module imports: ./own.js, k6/x/sql.
var imported = regexp.MustCompile(`(?m)^\s*(?:import|export|\})[^'"\n]*['"]([^'"\n]+)['"]` +
	`|^[^/\n]*\b(?:require|import)\(\s*['"]([^'"\n]+)['"]`)

// imports are the names of what the module imports.
func (m module) imports() (names []string) {
	for _, match := range imported.FindAllStringSubmatch(m.text, -1) {
		names = append(names, match[1]+match[2])
	}
	return names
}

// anAddress is a script that k6 fetches: of those without a scheme it knows these two hosts.
var anAddress = regexp.MustCompile(`^(github\.com|cdnjs\.com)/|://`)

// modulesOf reads a script, a file of it that k6 has archived, or the script that standard input has ("-"), and what it
// imports from other files. What isn't there k6 won't find either, and it says so. archived says that it is an archive.
func modulesOf(script string) (all []module, archived bool, err error) {
	var text []byte
	if isInput(script) {
		text, err = takeInput()
	} else {
		text, err = os.ReadFile(script)
	}
	switch {
	case errors.Is(err, os.ErrNotExist) && anAddress.MatchString(script):
		return nil, false, nil
	case errors.Is(err, os.ErrNotExist):
		return nil, false, fmt.Errorf("there is no script %s here", script)
	case err != nil:
		return nil, false, fmt.Errorf("read the script: %w", err)
	}
	if all, err = unpack(text); all != nil || err != nil {
		return all, true, err
	}
	all = []module{{script, string(text)}}
	for i := 0; i < len(all); i++ {
		for _, name := range all[i].imports() {
			file := fileOf(name, all[i].file)
			if file == "" || slices.ContainsFunc(all, func(m module) bool { return m.file == file }) {
				continue
			}
			if text, err := os.ReadFile(file); err == nil {
				all = append(all, module{file, string(text)})
			}
		}
	}
	return all, false, nil
}

// fileOf is the file that a module imports under that name, "" where it is none.
func fileOf(name, by string) string {
	switch {
	case strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../"):
		return filepath.Join(filepath.Dir(by), name)
	case strings.HasPrefix(name, "/"):
		return filepath.Clean(name)
	case strings.HasPrefix(name, "file:///"):
		if u, err := url.Parse(name); err == nil {
			return u.Path
		}
	}
	return ""
}

// unpack returns the modules of an archive of k6, none where it isn't one.
func unpack(text []byte) (all []module, err error) {
	archive := tar.NewReader(bytes.NewReader(text))
	for {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil && all == nil: // it is a script
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("read the archive: %w", err)
		case header.Typeflag != tar.TypeReg:
			continue
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			return nil, fmt.Errorf("read the archive: %w", err)
		}
		all = append(all, module{header.Name, string(text)})
	}
}

// isInput says whether a script is what standard input has.
func isInput(script string) bool { return script == "-" || script == "/dev/stdin" }

// takeInput reads standard input to its end, and leaves a copy of it there for the program that comes next.
func takeInput() ([]byte, error) {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return nil, err
	}
	copied, err := os.CreateTemp("", "")
	if err != nil {
		return nil, err
	}
	defer copied.Close()
	defer os.Remove(copied.Name())
	if _, err := copied.Write(text); err != nil {
		return nil, err
	}
	if _, err := copied.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return text, unix.Dup2(int(copied.Fd()), int(os.Stdin.Fd()))
}
