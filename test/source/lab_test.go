package source

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pooler-lab/test/testkit"
)

// A standInLab is scripts/lab beside a stand-in of Docker, which notes how it was called and what it was given to read.
type standInLab struct{ script, folder, notes, path string }

func newStandInLab(t *testing.T) standInLab {
	t.Helper()
	folder := folderWithSpaces(t)
	l := standInLab{folder: folder, notes: filepath.Join(folder, "notes")}
	l.script = filepath.Join(folder, "lab", "scripts", "lab")
	l.path = filepath.Dir(l.script)
	write(t, folder, map[string]string{
		"lab/scripts/lab":        read(t, filepath.Join(root, "scripts", "lab")),
		"lab/scripts/tour":       read(t, filepath.Join(root, "scripts", "tour")),
		"lab/scripts/up":         "#!/bin/sh\n",
		"lab/scripts/crosscheck": read(t, filepath.Join(root, "scripts", "crosscheck")),
		"lab/scripts/setting":    "#!/bin/sh\necho stand-in\n",
		"lab/scripts/docker": `#!/usr/bin/env bash
case "$1 $*" in
inspect*Env*) printf 'PATH=/bin\nAPP_PASSWORD=secret\n' ;;
inspect*Image*) echo an-image ;;
inspect*) echo true ;;
run* | exec*)
	printf '%s\n' "$@" >'` + l.notes + `/call.new' && mv '` + l.notes + `/call.new' '` + l.notes + `/call'
	[ -z "${STAND_IN_READS-}" ] || cat >'` + l.notes + `/input'
	: >'` + l.notes + `/ended'
	[ -z "${STAND_IN_READS-}" ] || exit 130
	;;
esac
`,
		"home/project/tests/test.js": "",
		"home/project/.git/HEAD":     "",
		"home/it's old/a b.sql":      "",
		"home/data/rows.csv":         "",
		"home/loose/from-pstdin.sql": "\\copy lab_load FROM pstdin CSV\n",
		"home/names/run":             "",
		"home/names/direct":          "",
		"home/names/app":             "",
		"home/at 10:30/x.js":         "",
	})
	if err := os.Mkdir(l.notes, 0o755); err != nil {
		t.Fatal(err)
	}
	return l
}

// command is the script, called in a folder of the home.
func (l standInLab) command(t *testing.T, in string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), "bash", append([]string{l.script}, args...)...)
	c.Dir = filepath.Join(l.folder, "home", in)
	c.Env = []string{"PATH=" + l.path + ":" + os.Getenv("PATH"), "HOME=" + l.folder, "TMPDIR=" + l.folder}
	return c
}

// words are those of a command line: between blanks, and after the first | between those.
func words(line string) []string {
	plain, rest, more := strings.Cut(line, "|")
	if !more {
		return strings.Fields(plain)
	}
	return append(strings.Fields(plain), strings.Split(rest, "|")...)
}

// noted is a note of the stand-in, "" before there is one.
func (l standInLab) noted(name string) string {
	text, err := os.ReadFile(filepath.Join(l.notes, name))
	if err != nil {
		return ""
	}
	return string(text)
}

// The container sees the folder that one stands in and those of files that are named, and gets all words as they are.
func TestToolsSeeTheCallersFolders(t *testing.T) {
	for name, c := range map[string]struct {
		in, args string
		sees     []string // folders of the home
	}{
		"where one stands":      {"data", "psql direct", []string{"data"}},
		"the repository around": {"project/tests", "k6 run test.js", []string{"project"}},
		"a file elsewhere":      {"data", "k6 run ../project/tests/test.js", []string{"data", "project"}},
		"an option's file":      {"data", "psql direct|-f|HOME/it's old/a b.sql", []string{"data", "it's old"}},
		"written together":      {"data", "pgbench direct|-fHOME/it's old/a b.sql@3", []string{"data", "it's old"}},
		"after an equals sign":  {"loose", "k6 run --out json=HOME/data/new.json -", []string{"loose", "data"}},
		"after two of them":     {"loose", "k6 run --out=json=../data/new.json -", []string{"loose", "data"}},
		"in a command": {
			"loose", `psql direct|-c|\copy (SELECT 1/2) TO 'HOME/data/a.csv' CSV`, []string{"loose", "data"},
		},
		"a folder that isn't":      {"data", "psql direct -f HOME/none/x.sql", []string{"data"}},
		"names that are files":     {"names", "k6 run run -e direct -U app", []string{"names"}},
		"a colon in its name":      {"at 10:30", "k6 run x.js", []string{"at 10:30"}},
		"a run to report":          {"loose", "report HOME/data", []string{"loose", ""}},
		"the lab's own":            {"loose", "k6 run HOME/../lab/scripts/lab", []string{"loose", "../lab"}},
		"a folder of the system's": {"loose", "psql direct -f /etc/passwd", []string{"loose"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newStandInLab(t)
			home := filepath.Join(l.folder, "home")
			args := words(c.args)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "HOME", home)
			}
			if said, err := l.command(t, c.in, args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			call := l.noted("call")
			var sees []string
			for _, folder := range c.sees {
				folder = filepath.Join(home, folder)
				sees = append(sees, "--mount\ntype=bind,\"source="+folder+"\",\"target="+folder+"\"\n")
			}
			stands, says := "-w\n"+filepath.Join(home, c.in)+"\n", "\nan-image\n"+strings.Join(args, "\n")+"\n"
			for _, want := range append(sees, stands, says) {
				if !strings.Contains(call, want) {
					t.Errorf("the call lacks %q:\n%s", want, call)
				}
			}
			if strings.Count(call, "--mount\n") != len(c.sees) || strings.Contains(call, "secret") {
				t.Errorf("the call is\n%s", call)
			}
		})
	}
}

// psql, pgbench and k6 get what the shell exports, and see the files that it names. What the container has of its own
// and what is of the host alone they don't get.
func TestToolsGetTheShellsVariables(t *testing.T) {
	for _, line := range []string{"psql direct", "pgbench direct", "k6 run x.js", "report", "latency"} {
		l := newStandInLab(t)
		file := filepath.Join(l.folder, "home", "data", "rows.csv")
		c := l.command(t, "loose", strings.Fields(line)...)
		c.Env = append(c.Env, "PGOPTIONS=-c work_mem=1MB", "PSQLRC="+file, "K6_OUT=json="+file, "WHO=Ann Lee", "ROWS="+file,
			"APP_PASSWORD=another", "LC_ALL=C", "https_proxy=http://proxy", "DOCKER_HOST=")
		if said, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		call, wraps := l.noted("call"), !strings.HasPrefix(line, "report") && line != "latency"
		for name, want := range map[string]bool{"PGOPTIONS": wraps, "PSQLRC": wraps, "K6_OUT": wraps, "WHO": wraps,
			"ROWS": wraps, "HOME": false, "PATH": false, "TMPDIR": false, "LC_ALL": false, "https_proxy": false,
			"DOCKER_HOST": false} {
			if got := strings.Contains(call, "-e\n"+name+"\n"); got != want {
				t.Errorf("%s: it gets %s: %v\n%s", line, name, got, call)
			}
		}
		sees := strings.Contains(call, "source="+filepath.Dir(file)+"\"")
		if sees != wraps || strings.Contains(call, "Ann") ||
			strings.Count(call, "APP_PASSWORD") > 1 {
			t.Errorf("%s: the call is\n%s", line, call)
		}
		if named := strings.Contains(call, "LAB_HANDED= K6_OUT"); named != wraps {
			t.Errorf("%s: the names are in the call: %v\n%s", line, named, call)
		}
	}
}

// Only what reads standard input gets it: to others, a loop's next lines are left.
func TestStandardInputGoesToWhatReadsIt(t *testing.T) {
	const next = "the next line"
	for line, reads := range map[string]bool{
		"psql direct":                               true,
		"psql direct client-primary -X":             true,
		"psql direct -f -":                          true,
		"psql direct -XAtf-":                        true,
		"psql direct|-c|\\copy lab_load FROM STDIN": true,
		"psql direct -f from-pstdin.sql":            true,
		"psql direct -c SELECT":                     false,
		"psql direct -XAtc SELECT":                  false,
		"psql direct -l":                            false,
		"psql direct --file=x.sql":                  false,
		"psql direct client-primary --command=x":    false,
		"pgbench direct -S":                         false,
		"pgbench direct -f -":                       true,
		"k6 run -":                                  true,
		"k6 run -q /dev/stdin":                      true,
		"k6 run x.js":                               false,
		"latency 5ms":                               false,
		"connect direct":                            false,
		"run 00-tour":                               false,
		"report":                                    false,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			l := newStandInLab(t)
			c := l.command(t, "loose", words(line)...)
			input, err := os.CreateTemp(t.TempDir(), "")
			if err != nil {
				t.Fatal(err)
			}
			defer input.Close()
			if _, err := input.WriteString(next); err != nil {
				t.Fatal(err)
			}
			if _, err := input.Seek(0, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			c.Stdin, c.Env = input, append(c.Env, "STAND_IN_READS=yes")
			ended := make(chan error, 1)
			testkit.OK(t, c.Start())
			go func() { ended <- c.Wait() }()
			if !reads { // it reads on until the script ends
				testkit.Until(t, "Docker is called", func() bool { return l.noted("call") != "" })
				if err := c.Process.Signal(syscall.SIGTERM); err != nil {
					t.Error(err)
				}
			}
			<-ended
			left, err := io.ReadAll(input)
			if err != nil || (string(left) == next) == reads || (l.noted("input") == next) != reads {
				t.Errorf("left %q, it read %q, %v", left, l.noted("input"), err)
			}
		})
	}
}

// Whatever ends a script closes what its client of Docker reads, which ends the program in the container.
func TestEndOfAScriptEndsWhatItStarted(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL} {
		for _, line := range []string{"lab pgbench direct", "lab k6 run x.js", "lab psql direct -c x", "lab run 00-tour",
			"lab latency", "tour", "crosscheck"} {
			t.Run(signal.String()+"/"+line, func(t *testing.T) {
				t.Parallel()
				l := newStandInLab(t)
				args := strings.Fields(line)
				l.script = filepath.Join(l.path, args[0])
				c := l.command(t, "loose", args[1:]...)
				c.Env = append(c.Env, "STAND_IN_READS=yes")
				c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				testkit.Until(t, "Docker is called", func() bool { return l.noted("call") != "" })
				if call := l.noted("call"); !strings.Contains(call, "\n-i\n-e\nLAB_TIED=yes\n") || l.ended() {
					t.Errorf("it is called with\n%s", call)
				}
				// As a terminal sends it, or timeout: to all that the script has in its group.
				if err := syscall.Kill(-c.Process.Pid, signal); err != nil {
					t.Fatal(err)
				}
				_ = c.Wait()
				testkit.Until(t, "the client has ended", l.ended)
				if status := c.ProcessState.ExitCode(); signal != syscall.SIGKILL && status != 130 {
					t.Errorf("the exit status is %d, and the client's was 130", status)
				}
			})
		}
	}
}

func (l standInLab) ended() bool { return exists(filepath.Join(l.notes, "ended")) }

// What a crosscheck's run comes to is the exit status; one that doesn't come to its end is judged by nobody.
func TestCrosscheckStatus(t *testing.T) {
	for _, test := range []struct{ run, verdict, want int }{{0, 0, 0}, {0, 1, 1}, {0, 2, 2}, {1, 0, 1}, {130, 0, 130}} {
		l := newStandInLab(t)
		write(t, l.path, map[string]string{"lab": fmt.Sprintf(`#!/usr/bin/env bash
lab() { case $1 in run) return %d ;; verdict) return %d ;; esac; }
if [ "$0" = "${BASH_SOURCE[0]}" ]; then lab "$@"; fi
`, test.run, test.verdict)})
		l.script = filepath.Join(l.path, "crosscheck")
		c := l.command(t, "loose")
		if out, err := c.CombinedOutput(); c.ProcessState.ExitCode() != test.want {
			t.Errorf("%+v: %v\n%s", test, err, out)
		}
	}
}
