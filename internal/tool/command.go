// Package tool is what a person runs on a path: psql, pgbench and k6, each of which this program becomes once it knows
// where the path begins, and connects that show what each phase costs.
package tool

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pooler-lab/internal/fault"
	"pooler-lab/internal/link"
	"pooler-lab/internal/topology"
)

// user is the role of every measured connection, and so of the tools.
const user = "app"

const pgbench = "pgbench"

// grace is how long a tool may take to cancel what it has asked of a server.
const grace = 3 * time.Second

// NewPsqlCommand returns `lab psql`.
func NewPsqlCommand() *cobra.Command {
	return throughPath("psql", nil, "scripts/psql direct\n  scripts/psql pgpool client-pgpool -c 'SHOW pool_nodes'")
}

// NewPgbenchCommand returns `lab pgbench`.
func NewPgbenchCommand(underWay link.UnderWay) *cobra.Command {
	return throughPath(pgbench, underWay, "scripts/pgbench direct -S -c 10 -T 5\n"+
		"  scripts/pgbench pgbouncer-transaction client-pgbouncer -M prepared -f my.sql")
}

// throughPath returns the command that runs a libpq program through a path. Flags aren't parsed: they are the
// program's own. underWay is nil for a program that puts no load on the lab.
func throughPath(program string, underWay link.UnderWay, example string) *cobra.Command {
	long := "Runs " + program + " through a path, as role " + user + `. Without LINK the path has no toxiproxy in it;
with one, it goes over that link, with whatever latency the link has just now.
'scripts/lab paths' lists both.`
	if program == pgbench {
		long += `

On a server that is read-only (path standby) it gets -n, since its vacuum would fail there; give
-S as well.`
	}
	return &cobra.Command{
		Use:                   program + " PATH [LINK] [" + program + "'s own options]",
		Short:                 "Run " + program + " through a path, as role " + user,
		Long:                  long,
		Example:               "  " + example,
		DisableFlagParsing:    true,
		DisableFlagsInUseLine: true,
		RunE: func(command *cobra.Command, args []string) error {
			if wantsHelp(args) {
				return command.Help()
			}
			set, err := topology.Load(topology.Root())
			if err != nil {
				return err
			}
			endpoint, rest, err := choose(set, program, args)
			if err != nil {
				return err
			}
			if program == pgbench && slices.ContainsFunc(rest, initializes.MatchString) {
				return errInitialize
			}
			if program == pgbench && readOnly(set, args[0]) {
				rest = withoutVacuum(rest)
			}
			if wrong := fault.Wrong(); wrong != "" {
				fmt.Fprintln(command.ErrOrStderr(), wrong)
			}
			if underWay != nil {
				underWay.Warn(command.ErrOrStderr(), "the load of "+program)
			}
			env := slices.Concat(own(), endpoint.Env(user, topology.Password(topology.App)),
				handed(program, command.ErrOrStderr()))
			return become(command.Context(), grace, env, program, rest...)
		},
	}
}

// initializes matches pgbench's -i, alone or with other letters.
var initializes = regexp.MustCompile(`^(-[CdlnNqrSvx]*i.*|--initialize)$`)

var errInitialize = errors.New("pgbench -i can't replace the lab's tables: scripts/reset --scale 50 loads them anew, " +
	"at that scale")

// wantsHelp reports whether the help asked for is the lab's; after a path it is the program's.
func wantsHelp(args []string) bool {
	return len(args) > 0 && (args[0] == "-h" || args[0] == "--help")
}

// readOnly reports whether whatever goes through the path ends at the standby.
func readOnly(set *topology.Set, name string) bool {
	p, err := set.Find(name)
	return err == nil && !slices.ContainsFunc(p.Services, func(service string) bool { return service != "standby" })
}

// withoutVacuum adds pgbench's -n, which it may have already.
func withoutVacuum(args []string) []string {
	if slices.Contains(args, "-n") || slices.Contains(args, "--no-vacuum") {
		return args
	}
	// Behind the others: pgbench knows --help and --version as its first argument only.
	return append(slices.Clone(args), "-n")
}

// usable returns the path of that name; the error says why it can't be used.
func usable(set *topology.Set, name string) (topology.Path, error) {
	p, err := set.Find(name)
	if err != nil {
		return p, err
	}
	if off := p.Unavailable; off != "" {
		return p, fmt.Errorf("path %s can't be used: %s", p.Name, off)
	}
	return p, nil
}

// choose takes path and link off the arguments and returns where to connect, and the program's own arguments.
func choose(set *topology.Set, program string, args []string) (topology.Endpoint, []string, error) {
	if len(args) == 0 {
		return topology.Endpoint{}, nil, fmt.Errorf("through which path? There are %s", strings.Join(set.PathNames(), ", "))
	}
	name, rest := args[0], args[1:]
	if strings.HasPrefix(name, "-") {
		return topology.Endpoint{}, nil, fmt.Errorf("the path comes first, then %s's options, as in: scripts/%s direct %s",
			program, program, strings.Join(args, " "))
	}
	p, err := usable(set, name)
	if err != nil {
		return topology.Endpoint{}, nil, err
	}
	link := ""
	if len(rest) > 0 && rest[0] != "" && !strings.HasPrefix(rest[0], "-") {
		link, rest = rest[0], rest[1:]
		// A word here that is no link would be a database to the program: it would leave the path unnoticed.
		if _, err := set.Link(link); err != nil {
			return topology.Endpoint{}, nil, fmt.Errorf("after the path comes a link or an option of %s: %w", program, err)
		}
	}
	endpoint, err := p.Endpoint(link)
	return endpoint, rest, err
}
