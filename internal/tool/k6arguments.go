package tool

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// k6Arguments are what of the arguments of `k6 run` says where a script runs.
type k6Arguments struct {
	script   string            // "" is standard input
	text     string            // the script's
	ofLab    bool              // it is built on k6/lib/lab.js: it runs a cell
	settings map[string]string // those of -e whose names begin with LAB_
}

// ofLabMark is in every script that is built on k6/lib/lab.js.
var ofLabMark = regexp.MustCompile(`/lib/lab\.js['"]`)

// ownScenario are k6's options that replace a script's scenarios, and what sets the same of a cell.
var ownScenario = map[string]string{
	"-u": "LAB_CLIENTS", "--vus": "LAB_CLIENTS",
	"-d": "LAB_SECONDS", "--duration": "LAB_SECONDS",
	"-i": "LAB_TRANSACTIONS", "--iterations": "LAB_TRANSACTIONS",
	"-s": "LAB_CLIENTS and LAB_RATE", "--stage": "LAB_CLIENTS and LAB_RATE",
}

// parseK6 reads the arguments of k6, and refuses what a script of the lab can't honour.
func parseK6(args []string) (k6Arguments, error) {
	given := k6Arguments{settings: map[string]string{}}
	for i, arg := range args[1:] {
		if name, value, ok := strings.Cut(environmentOf(arg, args[i:]), "="); ok && strings.HasPrefix(name, "LAB_") {
			given.settings[name] = value
		}
		if isScript(arg) {
			given.script = arg
		}
	}
	if given.script == "" {
		return given, nil
	}
	text, err := os.ReadFile(given.script)
	if err != nil {
		return given, fmt.Errorf("read the script: %w", err)
	}
	given.text = string(text)
	given.ofLab = ofLabMark.MatchString(given.text)
	if err := checkExtensions(given); err != nil {
		return given, err
	}
	return given, given.refuse(args)
}

// extension is one of k6 that a line of a script imports: k6/x/sql.
var extension = regexp.MustCompile(`(?m)^\s*(?:import|export|\})[^'"\n]*['"](k6/x/[^'"\n]+)['"]` +
	`|^[^/\n]*\brequire\(\s*['"](k6/x/[^'"\n]+)['"]`)

// checkExtensions returns an error that says what to use instead, where a script needs an extension of k6 that isn't
// there.
func checkExtensions(given k6Arguments) error {
	for _, match := range extension.FindAllStringSubmatch(given.text, -1) {
		switch name := match[1] + match[2]; {
		case strings.HasPrefix(name, "k6/x/sql"):
			return fmt.Errorf("%s imports %s, which isn't built into this k6: %s", given.script, name, insteadOfSQL)
		case name != "k6/x/pg":
			return fmt.Errorf("%s imports %s: the only extension that is built into this k6 is k6/x/pg", given.script, name)
		}
	}
	return nil
}

// insteadOfSQL shows what a script of xk6-sql does, in k6/x/pg.
const insteadOfSQL = `k6/x/pg does the same.
  import pg from 'k6/x/pg';
  const client = pg.client({ path: __ENV.LAB_PATH });                 // sql.open(driver, url)
  export default function () {
    if (!client.connected()) client.connect();                        // one connection a VU
    const rows = client.query('SELECT 1 AS n');                       // db.query(...)
    client.exec('SELECT pg_sleep(0.01)');                             // db.exec(...)
  }
Examples: k6/examples/, reference: k6/pg/README.md`

// environmentOf is the NAME=VALUE that arg gives by -e, alone or with the argument before it: from is that and what
// follows.
func environmentOf(arg string, from []string) string {
	if slices.Contains([]string{"-e", "--env"}, from[0]) {
		return arg
	}
	for _, prefix := range []string{"--env=", "-e"} {
		if value, ok := strings.CutPrefix(arg, prefix); ok && value != "" {
			return value
		}
	}
	return ""
}

// isScript says whether an argument is the file that k6 is to run.
func isScript(arg string) bool {
	if strings.HasPrefix(arg, "-") || !strings.HasSuffix(arg, ".js") && !strings.HasSuffix(arg, ".ts") {
		return false
	}
	info, err := os.Stat(arg)
	return err == nil && !info.IsDir()
}

// refuse returns an error for options and settings that would change nothing, or the wrong thing.
func (given k6Arguments) refuse(args []string) error {
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		if !strings.HasPrefix(name, "--") {
			name = name[:min(2, len(name))] // -u10
		}
		if setting, ok := ownScenario[name]; ok && given.ofLab {
			return fmt.Errorf("%s would replace the scenario of the cell: give -e %s instead", name, setting)
		}
	}
	for name := range given.settings {
		if known := slices.Contains(ofConnection, name); !given.ofLab && !known && !strings.Contains(given.text, name) {
			return fmt.Errorf("%s doesn't read %s: scripts that are built on k6/lib/lab.js do", given.script, name)
		}
	}
	return nil
}
