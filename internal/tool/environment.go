package tool

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// ofPath are libpq's variables that a path decides.
var ofPath = []string{"PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGSSLMODE", "PGSERVICE"}

// programs are variables that name a program, which may be on the caller's machine alone.
var programs = []string{"PSQL_PAGER", "PAGER", "PSQL_EDITOR", "EDITOR", "VISUAL"}

// handed returns the variables that the caller's shell has exported, as NAME=VALUE: scripts/lab hands them over, and
// their names in LAB_HANDED. Those without effect are left out, and notes gets a line that names them.
func handed(program string, notes io.Writer) (env []string) {
	var decided []string
	for _, name := range strings.Fields(os.Getenv("LAB_HANDED")) {
		value := os.Getenv(name)
		words := strings.Fields(value)
		switch {
		case slices.Contains(ofPath, name):
			decided = append(decided, name)
			continue
		case slices.Contains(programs, name) && len(words) > 0:
			if _, err := exec.LookPath(words[0]); err != nil {
				if strings.HasPrefix(name, "PSQL_") {
					fmt.Fprintf(notes, "lab: without effect: %s of your environment. The container has no %s\n", name, words[0])
				}
				continue
			}
		}
		env = append(env, name+"="+value)
	}
	if len(decided) > 0 {
		fmt.Fprintf(notes, "lab: without effect: %s of your environment. The path says where %s connects\n",
			strings.Join(decided, ", "), program)
	}
	return env
}

// own is this process's environment without what the caller's shell has exported.
func own() []string {
	names := strings.Fields(os.Getenv("LAB_HANDED"))
	return slices.DeleteFunc(os.Environ(), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return name == "LAB_HANDED" || slices.Contains(names, name)
	})
}
