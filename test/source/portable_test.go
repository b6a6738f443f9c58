package source

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// A stock macOS has bash 3.2 of 2007 and BSD's utilities. What follows is of later versions, by the list in bash's own
// NEWS and CHANGES, or of GNU alone.
var (
	newBuiltins = []string{"mapfile", "readarray", "coproc"}
	newNames    = []string{"BASHPID", "BASH_ARGV0", "BASH_XTRACEFD", "EPOCHREALTIME", "EPOCHSECONDS", "SRANDOM"}
	// Options and arguments of builtins.
	newArguments = map[string]*regexp.Regexp{
		"declare": regexp.MustCompile(`^-\w*[Agnlu]`),
		"local":   regexp.MustCompile(`^-\w*[Agnlu]`),
		"typeset": regexp.MustCompile(`^-\w*[Agnlu]`),
		"wait":    regexp.MustCompile(`^-`),
		"read":    regexp.MustCompile(`^-\w*[iN]|^-t0?\.|^0?\.\d`),
		"printf":  regexp.MustCompile(`%\([^)]*\)T`),
		"shopt":   regexp.MustCompile(`^(globstar|lastpipe|inherit_errexit|autocd|dirspell|checkjobs)$`),
		"[":       regexp.MustCompile(`^-[vR]$`),
		"test":    regexp.MustCompile(`^-[vR]$`),
	}
	// Utilities, by the arguments that both GNU's and BSD's understand in the same way. An option isn't one where its
	// value looks like one.
	utilities = map[string]*regexp.Regexp{
		"awk": regexp.MustCompile(`^-[Fv]`), "basename": nil, "cat": nil, "chmod": regexp.MustCompile(`^-R$`),
		"cmp": regexp.MustCompile(`^-s$`), "cp": regexp.MustCompile(`^-[pR]+$`), "cut": regexp.MustCompile(`^-[cdf]`),
		"date": regexp.MustCompile(`^-u$`), "df": regexp.MustCompile(`^-Pk$`), "dirname": nil, "env": nil,
		"find": regexp.MustCompile(`^-(type|perm|o|o\+[rx]+|print|name|prune|exec)$`),
		"grep": regexp.MustCompile(`^-[EFqisvxcno]+$|^-e$`), "head": regexp.MustCompile(`^-n$`),
		"id": regexp.MustCompile(`^-[unG]+$`), "ln": regexp.MustCompile(`^-[sf]+$`), "ls": regexp.MustCompile(`^-[1adlt]+$`),
		"mkdir": regexp.MustCompile(`^-[pm]$`), "mkfifo": nil, "mktemp": regexp.MustCompile(`^-[du]$`), "mv": nil,
		"rm": regexp.MustCompile(`^-[rf]+$`), "sed": regexp.MustCompile(`^-[neE]$`), "sleep": nil,
		"sort": regexp.MustCompile(`^-[unrtk]`), "stty": nil, "tail": regexp.MustCompile(`^-[nf]$`),
		"tar": regexp.MustCompile(`^-[cxtfC]+$`), "tee": nil, "touch": nil, "tr": regexp.MustCompile(`^-[cds]+$`),
		"uname": regexp.MustCompile(`^-[smr]$`), "wc": regexp.MustCompile(`^-[lc]$`), "xargs": regexp.MustCompile(`^-n`),
	}
	builtins = strings.Fields(`. : [ break builtin cd command compgen continue declare echo eval exec exit export false
		getopts hash kill local printf pwd read readonly return set shift shopt source test times trap true type typeset
		ulimit umask unset wait`)
	// What a machine has that can run the lab.
	programs = []string{"docker", "lab"} // lab is a function of scripts/lab, for scripts that source it
)

// tooNew finds what a stock macOS doesn't understand in the text of a script.
func tooNew(name string, text []byte) (found []string, err error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(bytes.NewReader(text), name)
	if err != nil {
		return nil, err
	}
	functions, filled, guarded := map[string]bool{}, map[string]bool{}, map[*syntax.ParamExp]bool{}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.FuncDecl:
			functions[n.Name.Value] = true
		case *syntax.Assign:
			if n.Array != nil && len(n.Array.Elems) > 0 && !n.Append {
				filled[n.Name.Value] = true
			}
		case *syntax.ParamExp:
			if n.Exp != nil && n.Exp.Op == syntax.AlternateUnset && n.Exp.Word != nil {
				syntax.Walk(n.Exp.Word, func(inner syntax.Node) bool {
					if e, ok := inner.(*syntax.ParamExp); ok {
						guarded[e] = true
					}
					return true
				})
			}
		}
		return true
	})
	add := func(at syntax.Node, format string, args ...any) {
		found = append(found, fmt.Sprintf("%s:%d: %s", name, at.Pos().Line(), fmt.Sprintf(format, args...)))
	}
	substitutions := 0
	var walk func(syntax.Node)
	walk = func(node syntax.Node) {
		syntax.Walk(node, func(node syntax.Node) bool {
			switch n := node.(type) {
			case *syntax.CmdSubst:
				substitutions++
				for _, s := range n.Stmts {
					walk(s)
				}
				substitutions--
				return false
			case *syntax.CaseClause:
				for _, item := range n.Items {
					if item.Op != syntax.Break {
						add(item, "%s ends a case", item.Op)
					}
					before := bytes.TrimRight(text[:item.Patterns[0].Pos().Offset()], " \t")
					if substitutions > 0 && !bytes.HasSuffix(before, []byte("(")) {
						add(item, "a pattern within $( ) needs its '(': bash 3.2 takes its ')' for the end")
					}
				}
			case *syntax.ParamExp:
				checkExpansion(n, guarded[n] || n.Param != nil && filled[n.Param.Value], add)
			case *syntax.BinaryCmd:
				if n.Op == syntax.PipeAll {
					add(n, "|& is of bash 4")
				}
			case *syntax.CoprocClause:
				add(n, "coproc is of bash 4")
			case *syntax.Redirect:
				if n.Op == syntax.AppAll || n.N != nil && strings.HasPrefix(n.N.Value, "{") {
					add(n, "a redirection of bash 4")
				}
			case *syntax.UnaryTest:
				if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
					add(n, "[[ %s is of bash 4", n.Op)
				}
			case *syntax.DeclClause:
				for _, a := range n.Args {
					if re := newArguments[n.Variant.Value]; re != nil && a.Naked && a.Value != nil && re.MatchString(a.Value.Lit()) {
						add(n, "%s %s is of bash 4", n.Variant.Value, a.Value.Lit())
					}
				}
			case *syntax.CallExpr:
				if len(n.Args) > 0 {
					checkCommand(n, functions, add)
				}
			}
			return true
		})
	}
	walk(file)
	return found, nil
}

// checkExpansion looks at ${...}. An array that is never empty is filled.
func checkExpansion(n *syntax.ParamExp, filled bool, add func(syntax.Node, string, ...any)) {
	name := ""
	if n.Param != nil {
		name = n.Param.Value
	}
	if slices.Contains(newNames, name) {
		add(n, "$%s is of bash 4 or later", name)
	}
	if n.Exp != nil && n.Exp.Op >= syntax.UpperFirst && n.Exp.Op <= syntax.OtherParamOps {
		add(n, "${%s%s} is of bash 4 or later", name, n.Exp.Op)
	}
	negative := func(e syntax.ArithmExpr) bool {
		u, ok := e.(*syntax.UnaryArithm)
		return ok && u.Op == syntax.Minus
	}
	if n.Index != nil && negative(n.Index) || n.Slice != nil && n.Slice.Length != nil && negative(n.Slice.Length) {
		add(n, "a negative index or length is of bash 4")
	}
	all, _ := n.Index.(*syntax.Word)
	if all != nil && (all.Lit() == "@" || all.Lit() == "*") && n.Exp == nil && !n.Length && !n.Excl && !filled {
		add(n, "bash 3.2 takes ${%s[%s]} for unbound where it is empty: write ${%[1]s[@]+\"${%[1]s[@]}\"}", name, all.Lit())
	}
}

// checkCommand looks at a command that is known by its name, and at its options.
func checkCommand(n *syntax.CallExpr, functions map[string]bool, add func(syntax.Node, string, ...any)) {
	args := n.Args
	for len(args) > 1 && slices.Contains([]string{"command", "exec", "env"}, args[0].Lit()) &&
		!strings.HasPrefix(args[1].Lit(), "-") && !strings.Contains(args[1].Lit(), "=") {
		args = args[1:]
	}
	name := args[0].Lit()
	options, isUtility := utilities[name]
	switch {
	case name == "" || functions[name] || strings.Contains(name, "/") || slices.Contains(programs, name):
		return
	case slices.Contains(newBuiltins, name):
		add(n, "%s is of bash 4", name)
		return
	case !isUtility && !slices.Contains(builtins, name):
		add(n, "%s isn't among the commands that Linux and macOS share", name)
		return
	}
	for _, a := range args[1:] {
		word := a.Lit()
		if name == "xargs" && !strings.HasPrefix(word, "-") {
			return // its command
		}
		if re := newArguments[name]; re != nil {
			var whole bytes.Buffer
			_ = syntax.NewPrinter().Print(&whole, a)
			if re.MatchString(word) || name == "printf" && re.MatchString(whole.String()) {
				add(n, "%s %s is of bash 4 or later", name, whole.String())
			}
		}
		isOption := strings.HasPrefix(word, "-") && word != "-" && word != "--"
		if isUtility && isOption && (options == nil || !options.MatchString(word)) {
			add(n, "%s %s isn't the same on Linux and macOS", name, word)
		}
		if name == "date" && strings.Contains(word, "%N") || name == "sed" && strings.HasPrefix(word, "-i") {
			add(n, "%s %s is GNU's", name, word)
		}
	}
}

// What a person runs has to run on a stock macOS, too. What runs in containers has a bash of its own, and base-image
// runs on Debian alone.
func TestScriptsRunOnStockMacOS(t *testing.T) {
	for _, folder := range []string{"scripts", ".ci"} {
		walk(t, folder, func(file string, text []byte) {
			if strings.HasSuffix(file, "/base-image") {
				return
			}
			found, err := tooNew(strings.TrimPrefix(file, root+"/"), text)
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
			for _, f := range found {
				t.Error(f)
			}
		})
	}
}

// Each line of the text is found, and none of those that are fine.
func TestTooNewFindsWhatItShould(t *testing.T) {
	const wrong = `mapfile -t a < x
echo "${name^^}" "${name,}" "${name@Q}" "$EPOCHSECONDS"
declare -A map
local -n other=x
echo x |& cat
echo x &>> log
exec {fd}>x
[[ -v name ]]
echo "${a[-1]}" "${name:0:-1}"
b=(); echo "${b[@]}"
x=$(case y in y) echo z ;; esac)
case y in y) echo ;& z) ;; esac
wait -n
read -t 0.1 x
printf '%(%s)T'
readlink -f x
timeout 5 true
sed -i s/a/b/ x
stat -c %s x
date +%N
grep -P x y
sort -V x
coproc x`
	const fine = `a=(x); a+=(y); echo "${a[@]}" "${a[*]}" "${#a[@]}" "${b[@]+"${b[@]}"}"
x=$(case y in (y) echo z ;; esac)
read -r x < <(echo y)
sed -n -e 's/a/b/p' x | tail -n 1
wait "$!"
printf '%s\n' "${x:-y}" "${x##*/}" "${x//a/b}" "${!x}" "${x:0:2}"
mktemp -d; date -u +%s; exec docker run -it x`
	for _, line := range strings.Split(wrong, "\n") {
		if found, err := tooNew("line", []byte(line)); err != nil || len(found) == 0 {
			t.Errorf("%q: found nothing, error %v", line, err)
		}
	}
	for _, line := range strings.Split(fine, "\n") {
		if found, err := tooNew("line", []byte(line)); err != nil || len(found) > 0 {
			t.Errorf("%q: found %q, error %v", line, found, err)
		}
	}
}
