package tool

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// k6Arguments are what of the arguments of `k6 run` says where a script runs.
type k6Arguments struct {
	script   string            // "-" is standard input, "" none
	modules  []module          // the script and what it imports
	archived bool              // it is an archive of k6's
	ofLab    bool              // it is built on k6/lib/lab.js: it runs a cell
	settings map[string]string // those of -e, or else of the shell, whose names begin with LAB_
	outputs  []string          // --out, for each of K6_OUT where there is no --out: the lab's own would replace those
}

// ofLab ends the name of the module that every script of the lab imports.
const ofLab = "/lib/lab.js"

// ownScenario are k6's options and variables that replace a script's scenarios, and what sets the same of a cell.
var ownScenario = map[string]string{
	"--vus": "LAB_CLIENTS", "K6_VUS": "LAB_CLIENTS",
	"--duration": "LAB_SECONDS", "K6_DURATION": "LAB_SECONDS",
	"--iterations": "LAB_TRANSACTIONS", "K6_ITERATIONS": "LAB_TRANSACTIONS",
	"--stage": "LAB_CLIENTS and LAB_RATE", "K6_STAGES": "LAB_CLIENTS and LAB_RATE",
}

// switches are k6's options without a value, by their names and letters: what follows another option is its value.
var switches = map[string]string{
	"paused": "p", "no-setup": "", "no-teardown": "", "insecure-skip-tls-verify": "", "no-connection-reuse": "",
	"no-vu-connection-reuse": "", "throw": "w", "discard-response-bodies": "", "no-color": "", "verbose": "v",
	"quiet": "q", "linger": "l", "no-usage-report": "", "include-system-env-vars": "", "no-thresholds": "",
	"new-machine-readable-summary": "", "profiling-enabled": "", "help": "h",
}

// parseK6 reads the arguments of k6, and refuses what a script of the lab can't honour.
func parseK6(args []string) (k6Arguments, error) {
	given := k6Arguments{settings: map[string]string{}}
	flags := pflag.NewFlagSet("k6", pflag.ContinueOnError)
	flags.ParseErrorsWhitelist.UnknownFlags = true // k6 knows them, or says that it doesn't
	for name, letter := range switches {
		flags.BoolP(name, letter, false, "")
	}
	for name, letter := range map[string]string{"vus": "u", "duration": "d", "iterations": "i", "stage": "s"} {
		flags.StringP(name, letter, "", "")
	}
	env := flags.StringArrayP("env", "e", nil, "")
	outputs := flags.StringArrayP("out", "o", nil, "")
	if err := flags.Parse(args[1:]); err != nil {
		return given, nil // k6 says it better
	}
	set := []string{}
	flags.Visit(func(f *pflag.Flag) { set = append(set, "--"+f.Name) })
	shell := strings.Fields(os.Getenv("LAB_HANDED"))
	for _, e := range *env {
		if name, value, ok := strings.Cut(e, "="); ok && strings.HasPrefix(name, "LAB_") {
			given.settings[name] = value
		}
	}
	if out := os.Getenv("K6_OUT"); out != "" && len(*outputs) == 0 {
		for one := range strings.SplitSeq(out, ",") {
			given.outputs = append(given.outputs, "--out", one)
		}
	}
	if flags.NArg() == 0 {
		return given, nil
	}
	given.script = flags.Arg(0)
	var err error
	if given.modules, given.archived, err = modulesOf(given.script); err != nil {
		return given, err
	}
	given.ofLab = slices.ContainsFunc(given.modules, func(m module) bool {
		return strings.HasSuffix(m.file, ofLab) ||
			slices.ContainsFunc(m.imports(), func(name string) bool { return strings.HasSuffix(name, ofLab) })
	})
	given.take(shell)
	if err := checkExtensions(given); err != nil {
		return given, err
	}
	return given, given.refuse(append(set, shell...))
}

// take adds the settings among the shell's variables, where the script has them and -e doesn't say otherwise.
func (given k6Arguments) take(shell []string) {
	for _, name := range shell {
		_, isSetting := keys[name]
		isSetting = isSetting || slices.Contains(ownSettings, name)
		_, said := given.settings[name]
		if !said && isSetting && (given.ofLab || slices.Contains(ofConnection, name)) {
			given.settings[name] = os.Getenv(name)
		}
	}
}

// checkExtensions returns an error that says what to use instead, where a script needs an extension of k6 that isn't
// there.
func checkExtensions(given k6Arguments) error {
	for _, m := range given.modules {
		for _, name := range m.imports() {
			switch {
			case strings.HasPrefix(name, "k6/x/sql"):
				return fmt.Errorf("%s imports %s, which isn't built into this k6: %s", m.file, name, insteadOfSQL)
			case strings.HasPrefix(name, "k6/x/") && name != "k6/x/pg":
				return fmt.Errorf("%s imports %s: the only extension that is built into this k6 is k6/x/pg", m.file, name)
			}
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

// refuse returns an error for options, variables of the shell and settings that would change nothing, or the wrong
// thing.
func (given k6Arguments) refuse(set []string) error {
	if given.ofLab && given.archived {
		return fmt.Errorf("%s has no plan: an archive of a script of the lab runs none of its cells. Run the script itself",
			given.script)
	}
	for _, name := range set {
		if setting, ok := ownScenario[name]; ok && given.ofLab {
			return fmt.Errorf("%s would replace the scenario of the cell: give -e %s instead", name, setting)
		}
	}
	reads := func(name string) bool { // or nobody knows
		contains := func(m module) bool { return strings.Contains(m.text, name) }
		return len(given.modules) == 0 || slices.ContainsFunc(given.modules, contains)
	}
	for name := range given.settings {
		if !given.ofLab && !slices.Contains(ofConnection, name) && !reads(name) {
			return fmt.Errorf("%s doesn't read %s: scripts that are built on k6/lib/lab.js do", given.script, name)
		}
	}
	return nil
}
