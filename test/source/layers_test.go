package source

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is this repository's, as imports name it.
const module = "pooler-lab/"

// layers reads the picture of CONTRIBUTING.md: the layer of each package, 0 at the top. Packages outside the layers
// have none.
func layers(t *testing.T) map[string]int {
	t.Helper()
	_, picture, _ := strings.Cut(read(t, filepath.Join(root, "CONTRIBUTING.md")), "```mermaid\n")
	picture, _, _ = strings.Cut(picture, "```\n")
	found := map[string]int{}
	layer := -1
	for line := range strings.Lines(picture) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "subgraph "):
			layer++
		case regexp.MustCompile(`^(docs|(cmd|internal|k6)/[a-z0-9/]+)$`).MatchString(line):
			found[line] = layer
		}
	}
	return found
}

// imports are those of each package that has production code, within this repository.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, folder := range []string{"cmd/lab", "docs", "internal", "k6/summary"} {
		walk(t, folder, func(file string, text []byte) {
			if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				t.Fatal(err)
			}
			found[name] = append(found[name], "")
			for _, spec := range parsed.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				if imported, ours := strings.CutPrefix(path, module); ours {
					found[name] = append(found[name], imported)
				}
			}
		})
	}
	return found
}

// The picture in CONTRIBUTING.md shows each package once, and each imports only packages of floors below its own.
func TestPictureOfThePackagesIsAccurate(t *testing.T) {
	layer, imported := layers(t), imports(t)
	if len(layer) < 10 {
		t.Fatalf("the picture in CONTRIBUTING.md shows only %v", layer)
	}
	for name, others := range imported {
		own, shown := layer[name]
		if !shown {
			t.Errorf("%s is missing in the picture of CONTRIBUTING.md", name)
			continue
		}
		slices.Sort(others)
		for _, other := range slices.Compact(others)[1:] {
			if above, shown := layer[other]; shown && above <= own {
				t.Errorf("%s imports %s, which the picture of CONTRIBUTING.md doesn't have on a floor below", name, other)
			}
		}
	}
	for name := range layer {
		if imported[name] == nil {
			t.Errorf("the picture of CONTRIBUTING.md shows %s, which isn't there", name)
		}
	}
}
