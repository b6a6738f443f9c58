// Package source tests the text of the checkout: what can be said of it without a lab.
package source

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pooler-lab/test/testkit"
)

// root is the checkout.
const root = "../.."

// shellScripts are the checkout's files that begin like one.
func shellScripts(t *testing.T) []string {
	t.Helper()
	interpreter := regexp.MustCompile(`^#!.*\b(ba)?sh\n`)
	var found []string
	for _, folder := range []string{"scripts", "images", "test", ".ci"} {
		walk(t, folder, func(file string, text []byte) {
			if interpreter.Match(text) {
				found = append(found, file)
			}
		})
	}
	return found
}

// walk reads each file in a folder of the checkout, or the file itself; what tests leave behind is left out.
func walk(t *testing.T, folder string, see func(file string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, folder), func(file string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "results" || entry.Name() == ".git") {
			return filepath.SkipDir
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(file)
		see(file, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestShellScriptsAreClean(t *testing.T) {
	files := shellScripts(t)
	if len(files) < 20 {
		t.Fatalf("found only %q", files)
	}
	if said, err := exec.Command("shellcheck", files...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode()&0o111 != 0o111 {
			t.Errorf("%s can't be executed: %v, %v", file, info.Mode(), err)
		}
	}
}

func TestGoCodeIsFormatted(t *testing.T) {
	for _, folder := range []string{"cmd", "internal", "k6", "test", "docs"} {
		walk(t, folder, func(file string, text []byte) {
			if !strings.HasSuffix(file, ".go") {
				return
			}
			if formatted, err := format.Source(text); err != nil || !bytes.Equal(formatted, text) {
				t.Errorf("%s isn't formatted by gofmt (%v)", file, err)
			}
		})
	}
}

// What vet and staticcheck find. They run beside the tests, in a build whose log is there once they are done.
func TestVetAndStaticcheckFindNothing(t *testing.T) {
	file := os.Getenv("LAB_TEST_CHECKS")
	if file == "" {
		t.Skip("LAB_TEST_CHECKS names no file with their findings; natively: go vet ./... && go tool staticcheck ./...")
	}
	for giveUp := time.Now().Add(5 * testkit.Patience); ; time.Sleep(200 * time.Millisecond) { // it is a whole build
		log, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) && time.Now().Before(giveUp) {
			continue
		}
		if err != nil || len(log) > 0 {
			t.Errorf("%v\n%s", err, log)
		}
		return
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// folderWithSpaces makes a folder as it may be where somebody clones a checkout.
func folderWithSpaces(t *testing.T) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "my files & more")
}

// write makes executable files in a folder, by their names in it, and the folders that they lie in.
func write(t *testing.T, folder string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// narrow are the files and folders whose lines fit a screen.
var narrow = []string{
	".ci", ".editorconfig", ".env", ".github", "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "cmd", "compose.yaml",
	"images", "internal", "k6/examples", "k6/lessons", "k6/lib", "k6/output", "k6/pg", "k6/summary", "scripts", "test",
}

func TestLinesFitAScreen(t *testing.T) {
	picture := regexp.MustCompile(`^!\[.*\]\(.*\)$`) // Markdown can't break one
	for _, folder := range narrow {
		walk(t, folder, func(file string, text []byte) {
			for number, line := range strings.Split(string(text), "\n") {
				if utf8.RuneCountInString(line) > 120 && !picture.MatchString(line) && !strings.Contains(file, "/testdata/") {
					t.Errorf("%s:%d has %d columns", file, number+1, utf8.RuneCountInString(line))
				}
			}
		})
	}
}

// k6's own summary is what people know: no lesson takes its place.
func TestLessonsLeaveTheSummaryToK6(t *testing.T) {
	walk(t, "k6/lessons", func(file string, text []byte) {
		if strings.Contains(string(text), "handleSummary") {
			t.Errorf("%s takes the place of k6's summary", file)
		}
	})
}

// What a script says of itself fits a terminal: scripts/help shows it as it stands.
func TestHelpOfScriptsFitsATerminal(t *testing.T) {
	walk(t, "scripts", func(file string, text []byte) {
		head, _, _ := strings.Cut(string(text), "\nset -")
		for line := range strings.SplitSeq(head, "\n") {
			if len(strings.TrimPrefix(line, "# ")) > 98 {
				t.Errorf("%s: %d columns: %s", file, len(line)-2, line)
			}
		}
	})
}

// The Debian release and PostgreSQL's major version stand in .env; what is built and run reads them there.
func TestVersionsHaveOneHome(t *testing.T) {
	settings := read(t, filepath.Join(root, ".env"))
	for name, pattern := range map[string]string{
		"LAB_DEBIAN_RELEASE": `(?:debian|base):%s\b|suite=%[1]s`,
		"LAB_POSTGRES_MAJOR": `postgresql(?:-client)?[-/]%s\b`,
	} {
		set := regexp.MustCompile(`(?m)^` + name + `=(\w+)$`).FindStringSubmatch(settings)
		if set == nil {
			t.Errorf(".env doesn't set %s", name)
			continue
		}
		other := regexp.MustCompile(fmt.Sprintf(pattern, set[1]))
		for _, folder := range []string{"compose.yaml", "configs", "images", "internal", "scripts", "test/compose.yaml"} {
			walk(t, folder, func(file string, text []byte) {
				if found := other.Find(text); found != nil && !strings.Contains(file, "testdata") {
					t.Errorf("%s says %q, which is for %s to say", file, found, name)
				}
			})
		}
	}
}

// docker-compose 1 refuses the ':+' of a value and shows it whole: it must say what to do.
func TestOldComposeNamesTheScript(t *testing.T) {
	said := regexp.MustCompile(`"\$\{LAB_NEVER_SET:\+[^}]*scripts/up\}"`)
	if !said.MatchString(read(t, filepath.Join(root, "compose.yaml"))) {
		t.Errorf("compose.yaml has no value %s", said)
	}
}

// The licence is k6's own file, to the letter.
func TestLicenceIsThatOfK6(t *testing.T) {
	const k6 = "45bd5efa5e66840e253253f3cc172d07213cb812206cda7bb71cd5b9dbd5a985"
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(read(t, filepath.Join(root, "LICENSE"))))); got != k6 {
		t.Errorf("LICENSE has the checksum %s, k6's LICENSE.md has %s", got, k6)
	}
}
