package pooler

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// namesOfPaths are the files, below the repository's root, in which a path or a link has a name that a kind's name is
// part of: examples in help and errors, and lists of paths. What they say is held against configs/.
var namesOfPaths = []string{
	"internal/console/places.go",
	"internal/link/command.go",
	"internal/run/command.go",
	"internal/selftest/command.go",
	"internal/lesson/dimension.go",
	"internal/console/command.go",
	"internal/tool/command.go",
	"internal/tool/connect.go",
	"internal/tool/k6.go",
	"internal/topology/check.go",
}

// textsForPeople are strings in which a kind stands for itself. Nothing is decided by them.
var textsForPeople = map[string][]string{
	"internal/console/places.go": {"PgBouncer", "Pgpool-II"}, // titles on the picture
	"internal/tool/command.go":   {"SHOW pool_nodes"},
	"k6/pg/errors.go": {" (PgBouncer: max_prepared_statements above 0)",
		" (PgBouncer: RECONNECT on its admin console)"},
}

// A new pooler is one Go file: no other one asks for, or is named after, a kind.
func TestOnlyItsOwnFileNamesAKind(t *testing.T) {
	const root = "../.."
	t.Setenv("COMPOSE_PROFILES", "*")
	set, err := topology.Load(root)
	testkit.OK(t, err)
	words := slices.Concat(set.PathNames(), set.LinkNames(), slices.Collect(maps.Keys(set.Poolers())))
	slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) }) // the longest first
	allowed := map[string]bool{}                                             // files that name a kind
	for _, folder := range []string{"internal", "cmd", "k6"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(file string, _ fs.DirEntry, err error) error {
			name, _ := filepath.Rel(root, file)
			if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || ownFile(name) {
				return err
			}
			for _, text := range codeOf(t, file) {
				if named(text) == "" {
					continue
				}
				allowed[name] = true
				if slices.Contains(namesOfPaths, name) {
					text = without(text, words)
				}
				if kind := named(without(text, textsForPeople[name])); kind != "" {
					t.Errorf("%s names %s: %q", name, kind, text)
				}
			}
			return nil
		})
		testkit.OK(t, err)
	}
	for _, name := range slices.Concat(namesOfPaths, slices.Collect(maps.Keys(textsForPeople))) {
		if !allowed[name] {
			t.Errorf("%s may name a kind and doesn't", name)
		}
	}
}

// ownFile says whether the file is a kind's.
func ownFile(name string) bool {
	return slices.ContainsFunc(Kinds(), func(kind string) bool { return name == "internal/pooler/"+kind+".go" })
}

// codeOf returns the identifiers and the strings of a Go file.
func codeOf(t *testing.T, file string) []string {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	testkit.OK(t, err)
	var texts []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			texts = append(texts, n.Name)
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
				texts = append(texts, text)
			}
		}
		return true
	})
	return texts
}

func without(text string, words []string) string {
	for _, w := range words {
		text = strings.ReplaceAll(text, w, "")
	}
	return text
}

// named returns the kind that a text names, by its own name or by its title.
func named(text string) string {
	for name, kind := range kinds {
		for _, word := range []string{name, kind.Title} {
			if strings.Contains(strings.ToLower(text), strings.ToLower(word)) {
				return name
			}
		}
	}
	return ""
}

// Every kind is complete, and every pooler of configs/paths.yaml is of one.
func TestKinds(t *testing.T) {
	for name, k := range kinds {
		if k.Name != name || k.Title == "" || k.Version == "" || k.VersionColumn == "" || k.open == nil ||
			k.configuration == "" || k.mostClients == "" ||
			k.Console.Port == 0 || k.Console.DBName == "" {
			t.Errorf("%s lacks something: %+v", name, k)
		}
		if p := k.Open(Login{Service: "there"}); p == nil {
			t.Errorf("%s makes no pooler", name)
		}
	}
	t.Setenv("COMPOSE_PROFILES", "*")
	set, err := topology.Load("../..")
	testkit.OK(t, err)
	for service, kind := range set.Poolers() {
		if _, err := Find(kind); err != nil {
			t.Errorf("service %s of configs/paths.yaml: %v", service, err)
		}
	}
}
