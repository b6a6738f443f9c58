package lesson

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/wording"
)

// Find returns the script of the lesson that name stands for, among those of dir, the repository's k6/lessons: a full
// name (00-tour), its number (00, or 0) or what follows the number (tour). It need not be there: see Read. Other
// scripts are named by their paths within the repository: k6/crosscheck.js.
func Find(dir, name string) (string, error) {
	if strings.HasPrefix(name, "k6/") && strings.HasSuffix(name, ".js") {
		return filepath.Join(dir, "..", "..", name), nil
	}
	names, err := Names(dir)
	if err != nil {
		return "", err
	}
	for _, n := range names {
		number, rest, _ := strings.Cut(n, "-")
		if name != "" && (name == n || name == n+".js" || name == rest || sameNumber(name, number)) {
			return filepath.Join(dir, n+".js"), nil
		}
	}
	wrong := fmt.Sprintf("there is no lesson %q.", name)
	if name == "" {
		wrong = "say which lesson."
	} else if closest := nearest(name, names); closest != "" {
		wrong = fmt.Sprintf("there is no lesson %q, did you mean %s?", name, closest)
	}
	return "", fmt.Errorf("%s There are:\n  %s", wrong, strings.Join(names, "\n  "))
}

// sameNumber says whether both are the same number, whatever zeros it begins with.
func sameNumber(a, b string) bool {
	n, errA := strconv.ParseUint(a, 10, 16)
	m, errB := strconv.ParseUint(b, 10, 16)
	return errA == nil && errB == nil && n == m
}

// nearest is the lesson whose name, with its number or without, is closest to name; "" where none is close.
func nearest(name string, names []string) string {
	known := slices.Clone(names)
	for _, n := range names {
		_, rest, _ := strings.Cut(n, "-")
		known = append(known, rest)
	}
	closest := wording.Closest(name, known)
	if closest == "" {
		return ""
	}
	return names[slices.Index(known, closest)%len(names)]
}

// Names lists the lessons of dir in order: those with a script, with a plan or with both.
func Names(dir string) ([]string, error) {
	var names []string
	for _, ending := range []string{".js", ".yaml"} {
		files, err := filepath.Glob(filepath.Join(dir, "*"+ending))
		if err != nil {
			return nil, fmt.Errorf("list lessons: %w", err)
		}
		for _, f := range files {
			names = append(names, strings.TrimSuffix(filepath.Base(f), ending))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no lessons in %s", dir)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
