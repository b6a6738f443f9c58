package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// checkoutWith is a checkout of what scripts/setting and scripts/preflight read, with a change of .env's text.
func checkoutWith(t *testing.T, change func(env string) string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"scripts", "configs", "images", "k6"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"scripts/setting", "scripts/preflight", "scripts/help", ".env", "compose.yaml",
		"configs/paths.yaml", "images/probe"} {
		text := read(t, filepath.Join(root, name))
		if name == ".env" {
			text = change(text)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// setting asks scripts/setting of a checkout, with that PATH and a few more variables.
func setting(t *testing.T, checkout, path, name string, env ...string) string {
	t.Helper()
	c := exec.Command(filepath.Join(checkout, "scripts", "setting"), name)
	c.Env = append(env, "PATH="+path, "TMPDIR="+checkout, "HOME="+checkout)
	said, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("scripts/setting %s: %v\n%s", name, err, said)
	}
	return strings.TrimSuffix(string(said), "\n")
}

// without is a PATH on which there is no Docker.
func without(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"bash", "env", "sed", "grep", "dirname", "basename", "id", "mkdir"} {
		file, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(file, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func hasCompose() bool {
	return exec.Command("docker", "compose", "version").Run() == nil ||
		exec.Command("docker", "image", "inspect", "pooler-lab-compose").Run() == nil
}

// A .env may be written in each way that Compose reads. Plain ways are understood without Compose, too.
func TestSettingsAreReadAsComposeReadsThem(t *testing.T) {
	t.Parallel()
	const name = "LAB_SCALE"
	line := func(text string) func(string) string {
		return func(env string) string {
			return regexp.MustCompile(`(?m)^LAB_SCALE=.*$`).ReplaceAllLiteralString(env, text)
		}
	}
	for _, c := range []struct {
		form   string
		change func(string) string
		want   string
		plain  bool
	}{
		{"as it is", func(env string) string { return env }, "10", true},
		{"double quotes", line(`LAB_SCALE="20"`), "20", true},
		{"single quotes", line(`LAB_SCALE='20'`), "20", true},
		{"quotes and a comment", line(`LAB_SCALE="2 # 0" # twice`), "2 # 0", true},
		{"a comment behind it", line(`LAB_SCALE=20 # twice`), "20", true},
		{"a # within", line(`LAB_SCALE=2#0`), "2#0", true},
		{"a blank at the end", line("LAB_SCALE=20 "), "20", true},
		{"blanks around", line("  LAB_SCALE = 20"), "20", true},
		{"a colon", line("LAB_SCALE: 20"), "20", true},
		{"nothing", line("LAB_SCALE="), "", true},
		{"appended", func(env string) string { return env + "LAB_SCALE=20\n" }, "20", true},
		{"no end of line", func(env string) string { return env + "LAB_SCALE=20" }, "20", true},
		{"CRLF", func(env string) string { return strings.ReplaceAll(env, "\n", "\r\n") }, "10", true},
		{"export", line("export LAB_SCALE=20"), "20", true},
		{"another setting's", line("LAB_SCALE=${LAB_MAX_CONNECTIONS:-20}"), "20", false},
		{"an escape", line(`LAB_SCALE="2\"0"`), `2"0`, false},
		{"a dollar", line("LAB_SCALE='2$0'"), "2$0", false},
	} {
		t.Run(c.form, func(t *testing.T) {
			t.Parallel()
			checkout := checkoutWith(t, c.change)
			if got := setting(t, checkout, without(t), name); c.plain && got != c.want {
				t.Errorf("without Compose: %q, wanted %q", got, c.want)
			}
			if !hasCompose() {
				return
			}
			for _, time := range []string{"first", "second"} {
				if got := setting(t, checkout, os.Getenv("PATH"), name); got != c.want {
					t.Errorf("%s time: %q, wanted %q", time, got, c.want)
				}
			}
			if got := setting(t, checkout, os.Getenv("PATH"), name, "LAB_SCALE=7"); got != "7" {
				t.Errorf("the environment says 7, got %q", got)
			}
		})
	}
}

// What Compose said is kept, but not beyond a change of .env.
func TestSettingFollowsAChange(t *testing.T) {
	t.Parallel()
	checkout := checkoutWith(t, func(env string) string { return env })
	for _, want := range []string{"11", "12", "11"} {
		before := read(t, filepath.Join(checkout, ".env"))
		env := regexp.MustCompile(`(?m)^LAB_SCALE=.*$`).ReplaceAllString(before, "LAB_SCALE="+want)
		if err := os.WriteFile(filepath.Join(checkout, ".env"), []byte(env), 0o644); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := setting(t, checkout, os.Getenv("PATH"), "LAB_SCALE"); got != want {
				t.Errorf("%q, wanted %q", got, want)
			}
		}
	}
}
