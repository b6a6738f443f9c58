package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// checkoutWith is a checkout of what scripts/setting and scripts/preflight read, with a change of .env's text, and with
// a stand-in of Docker.
func checkoutWith(t *testing.T, change func(env string) string) string {
	t.Helper()
	folder, texts := folderWithSpaces(t), map[string]string{"docker": dockerStandIn}
	for _, name := range []string{"scripts/setting", "scripts/preflight", "scripts/help", ".env", "compose.yaml",
		"configs/paths.yaml", "images/probe", "k6/crosscheck.yaml"} {
		texts[name] = read(t, filepath.Join(root, name))
	}
	texts[".env"] = change(texts[".env"])
	write(t, folder, texts)
	return folder
}

// setting asks scripts/setting of a checkout, and returns what it said.
func setting(checkout, name string, env ...string) (said string, ok bool) {
	c := exec.Command(filepath.Join(checkout, "scripts", "setting"), name)
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + checkout}, env...)
	text, err := c.CombinedOutput()
	return strings.TrimSuffix(string(text), "\n"), err == nil
}

// A .env may be written in each plain way that Compose reads, and means the same to scripts; they refuse the others.
func TestSettingsAreReadAsComposeReadsThem(t *testing.T) {
	t.Parallel()
	line := func(text string) func(string) string {
		return func(env string) string {
			return regexp.MustCompile(`(?m)^LAB_SCALE=.*$`).ReplaceAllLiteralString(env, text)
		}
	}
	const refused = "setting: LAB_SCALE is "
	for _, c := range []struct {
		form   string
		change func(string) string
		want   string
	}{
		{"as it is", asItIs, "10"},
		{"double quotes", line(`LAB_SCALE="20"`), "20"},
		{"single quotes", line(`LAB_SCALE='20'`), "20"},
		{"quotes and a comment", line(`LAB_SCALE="2 # 0" # twice`), "2 # 0"},
		{"quotes within", line(`LAB_SCALE=2="0"`), `2="0"`},
		{"a comment behind it", line(`LAB_SCALE=20 # twice`), "20"},
		{"a comment in place of it", line(`LAB_SCALE= # none`), ""},
		{"a # within", line(`LAB_SCALE=2#0`), "2#0"},
		{"a blank at the end", line("LAB_SCALE=20 "), "20"},
		{"blanks around", line("  LAB_SCALE = 20"), "20"},
		{"a colon", line("LAB_SCALE: 20"), "20"},
		{"nothing", line("LAB_SCALE="), ""},
		{"appended", func(env string) string { return env + "LAB_SCALE=20\n" }, "20"},
		{"no end of line", func(env string) string { return env + "LAB_SCALE=20" }, "20"},
		{"CRLF", func(env string) string { return strings.ReplaceAll(env, "\n", "\r\n") }, "10"},
		{"export", line("export LAB_SCALE=20"), "20"},
		{"another setting's", line("LAB_SCALE=${LAB_MAX_CONNECTIONS:-20}"), refused},
		{"an escape", line(`LAB_SCALE='2\"0'`), refused},
		{"none", line(""), `setting: there is no setting "LAB_SCALE": there are COMPOSE_PROJECT_NAME, `},
	} {
		t.Run(c.form, func(t *testing.T) {
			t.Parallel()
			checkout, fails := checkoutWith(t, c.change), strings.HasPrefix(c.want, "setting: ")
			said, ok := setting(checkout, "LAB_SCALE")
			if ok == fails || said != c.want && !(fails && strings.HasPrefix(said, c.want)) {
				t.Errorf("%q, wanted %q", said, c.want)
			}
			if said, ok := setting(checkout, "LAB_SCALE", "LAB_SCALE=7"); said != "7" && c.form != "none" {
				t.Errorf("the environment says 7, got %q, %v", said, ok)
			}
		})
	}
}

// Files that COMPOSE_ENV_FILES names stand in place of .env, and the last one counts.
func TestSettingsOfOtherFiles(t *testing.T) {
	t.Parallel()
	checkout := checkoutWith(t, asItIs)
	write(t, checkout, map[string]string{"my.env": "LAB_SCALE=20\nLAB_PORTS=1-11\n", "more/my.env": "LAB_SCALE=30"})
	for _, c := range []struct{ files, name, want string }{
		{"my.env", "LAB_SCALE", "20"},
		{"my.env,more/my.env", "LAB_SCALE", "30"},
		{"my.env,more/my.env", "LAB_PORTS", "1-11"},
		{checkout + "/more/my.env", "LAB_SCALE", "30"},
		{"", "LAB_SCALE", "10"},
		{"more/my.env", "LAB_PORTS", `setting: there is no setting "LAB_PORTS": there are LAB_SCALE`},
		{"none.env", "LAB_SCALE",
			"setting: none.env is to stand in place of .env (COMPOSE_ENV_FILES, or --env-file), and can't be read"},
	} {
		if said, _ := setting(checkout, c.name, "COMPOSE_ENV_FILES="+c.files); said != c.want {
			t.Errorf("%s of %q: %q, wanted %q", c.name, c.files, said, c.want)
		}
	}
}

// What --env-file names stands in place of .env for scripts/compose, too: it decides which services there are.
func TestSettingsOfComposesOwnOption(t *testing.T) {
	t.Parallel()
	const standIn = `#!/usr/bin/env bash
case "$1 $2" in
'compose version') echo 2.30.0 ;;
compose*) printf '%s' "$COMPOSE_PROFILES" ;;
*) exit 1 ;;
esac`
	for args, want := range map[string]string{"--env-file my.env ps": "mine", "--env-file=my.env ps": "mine",
		"ps": "odyssey"} {
		checkout := checkoutWith(t, func(env string) string { return env + "COMPOSE_PROFILES=odyssey\n" })
		write(t, checkout, map[string]string{"scripts/compose": read(t, filepath.Join(root, "scripts/compose")),
			"bin/docker": standIn, "my.env": read(t, filepath.Join(checkout, ".env")) + "COMPOSE_PROFILES=mine\n"})
		c := exec.Command(filepath.Join(checkout, "scripts", "compose"), strings.Fields(args)...)
		c.Env = []string{"PATH=" + filepath.Join(checkout, "bin") + ":" + os.Getenv("PATH"), "HOME=" + checkout}
		if said, err := c.Output(); err != nil || string(said) != want {
			t.Errorf("scripts/compose %s has the profiles %q, %v; wanted %q", args, said, err, want)
		}
	}
}
