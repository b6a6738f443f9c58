package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pooler-lab/internal/topology"
	"pooler-lab/internal/wording"
)

// UnderWay says what is measuring just now ("lesson 00-tour"), not ok where nothing is.
type UnderWay func() (what string, ok bool)

// Warn tells who is about to do what could spoil a measurement that one is under way.
func (u UnderWay) Warn(notes io.Writer, spoils string) {
	if what, busy := u(); busy {
		fmt.Fprintf(notes, "%s is running: %s spoils what it does just now (a lesson rejects such a cell)\n", what, spoils)
	}
}

// A latencyCommand is one call of `lab latency`: what it acts on, and where it writes its table and its notes.
type latencyCommand struct {
	*Switch
	host       string // where links listen
	set        *topology.Set
	presets    Presets
	underWay   UnderWay
	out, notes io.Writer
	json       bool
}

// A change is one of a switch's of a link.
type change = func(s *Switch, ctx context.Context, link string) error

// NewCommand returns `lab latency`, which shows and sets the latency of links. Whoever changes them while something
// measures is told.
func NewCommand(underWay UnderWay) *cobra.Command {
	var jitter, bandwidth string
	var asJSON bool
	// opened has a subcommand act on the lab.
	opened := func(do func(*latencyCommand, context.Context, []string) error) func(*cobra.Command, []string) error {
		return func(command *cobra.Command, args []string) error {
			l, err := open(underWay)
			if err != nil {
				return err
			}
			l.out, l.notes, l.json = command.OutOrStdout(), command.ErrOrStderr(), asJSON
			return do(l, command.Context(), args)
		}
	}
	command := &cobra.Command{
		Use:   "latency [LATENCY|PRESET] [LINK|PATH|all ...]",
		Short: "Show or set the latency of links, on live connections too",
		Long: `Shows every link with what it is set to add and the round trip measured just now; or sets links.
PORT is where programs of your own machine reach the link, as role app and database lab.

LATENCY is the round trip that a link takes, the proxy's own time included: 10ms, 10 and 0.01s are
the same, and so are 0.5ms and 500us. 10ms±3ms has jitter, as --jitter 3ms. A path's name stands
for its links, unless a link has that name, and "all" for all links.
Afterwards a link carries exactly what you set: a jitter or bandwidth it had before is gone. The
standby's replication goes over primary-standby while something is set on that link or it is
cut. With 0 or "off" it goes straight to the standby again.`,
		Example: `  scripts/latency                          every link, measured
  scripts/latency 10ms client-primary      10 ms on one link
  scripts/latency 0.5ms client-primary
  scripts/latency 20ms±5ms pgpool          plus or minus up to 5 ms
  scripts/latency 10ms all --bandwidth 1000
  scripts/latency satellite direct         a preset; 'scripts/latency presets' lists them
  scripts/latency cut client-pgbouncer     ends its connections, refuses new ones
  scripts/latency restore client-pgbouncer
  scripts/latency off                      nothing on any link`,
		Args: cobra.ArbitraryArgs,
		RunE: opened(func(l *latencyCommand, ctx context.Context, args []string) error {
			return l.showOrSet(ctx, args, jitter, bandwidth)
		}),
	}
	command.Flags().StringVar(&jitter, "jitter", "", "answers come up to this much earlier or later, as 2ms")
	command.Flags().
		StringVar(&bandwidth, "bandwidth", "", "limit of each connection in each direction, in KB/s of 1000 bytes")
	command.PersistentFlags().BoolVar(&asJSON, "json", false, "print JSON")
	command.SetFlagErrorFunc(explainNegative)
	// changing is a subcommand that makes a change of links, of those that unnamed says where none is named.
	changing := func(use, short string, change change, unnamed ...string) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs,
			RunE: opened(func(l *latencyCommand, ctx context.Context, args []string) error {
				if len(args) == 0 {
					args = unnamed
				}
				return l.change(ctx, args, change)
			})}
	}
	command.AddCommand(
		changing("off [LINK|PATH|all ...]",
			"Take everything off links (without a name: off all), and restore those that are cut", (*Switch).Off, everything),
		changing("cut LINK|PATH|all ...", "End the links' connections and refuse new ones", (*Switch).Cut),
		changing("restore LINK|PATH|all ...", "Let connections through links that were cut", (*Switch).Restore),
		&cobra.Command{
			Use:   "presets",
			Short: "List the presets: figures, where they come from, their limits",
			Args:  cobra.NoArgs,
			RunE: opened(func(l *latencyCommand, _ context.Context, _ []string) error {
				l.presets.write(l.out)
				return nil
			}),
		},
	)
	return command
}

func open(underWay UnderWay) (*latencyCommand, error) {
	set, err := topology.Load(topology.Root())
	if err != nil {
		return nil, err
	}
	presets, err := LoadPresets(topology.Root())
	if err != nil {
		return nil, err
	}
	links, err := NewSwitch(set, New(APIURL(), set.LinkNames()...))
	return &latencyCommand{
		Switch: links, host: topology.Proxy, set: set, presets: presets, underWay: underWay,
	}, err
}

// change changes the links that names stand for, and shows what they are then, even where something failed.
func (l *latencyCommand) change(ctx context.Context, names []string, change change) error {
	links, err := targets(l.set, names)
	if err != nil {
		return err
	}
	l.underWay.Warn(l.notes, "a change of links")
	changed := Each(links, func(link string) error { return change(l.Switch, ctx, link) })
	if err := l.show(ctx, links); changed == nil {
		return err
	}
	return changed
}

// show shows links, each as it is just now.
func (l *latencyCommand) show(ctx context.Context, links []string) error {
	now, unread, err := l.Read(ctx)
	if err != nil {
		return err
	}
	rows := l.rows(ctx, links, now, unread)
	if l.json {
		return writeJSON(l.out, rows)
	}
	return writeTable(l.out, rows)
}

// showOrSet tells by the first argument what is meant: nothing, names of links, a latency or a preset.
func (l *latencyCommand) showOrSet(ctx context.Context, args []string, jitter, bandwidth string) error {
	switch flags := jitter != "" || bandwidth != ""; {
	case len(args) == 0 && flags:
		return errors.New(
			"--jitter and --bandwidth go with a latency and a link, as in: scripts/latency 20ms client-primary --jitter 5ms",
		)
	case len(args) == 0:
		return l.show(ctx, l.set.LinkNames())
	case len(args) > 1 && bareNumber.MatchString(args[0]) && timeUnits[args[1]] != "":
		joined := args[0] + timeUnits[args[1]]
		return fmt.Errorf("write %s in one word, as in: scripts/latency %s",
			joined, strings.Join(append([]string{joined}, args[2:]...), " "))
	}
	settings, isTarget, err := l.meant(args[0])
	switch {
	case err != nil:
		return err
	case isTarget && (jitter != "" || bandwidth != ""):
		return fmt.Errorf("a latency is missing before %s, as in: scripts/latency 20ms %s", args[0], strings.Join(args, " "))
	case isTarget:
		if err := l.outOfOrder(args); err != nil {
			return err
		}
		links, err := targets(l.set, args)
		if err != nil {
			return err
		}
		return l.show(ctx, links)
	}
	if settings, err = settings.with(jitter, bandwidth); err != nil {
		return err
	}
	return l.change(ctx, args[1:], func(s *Switch, ctx context.Context, link string) error {
		return s.Set(ctx, link, settings)
	})
}

// commands are words that stand before links.
var commands = []string{"off", "cut", "restore"}

// outOfOrder says what should come first where a latency, a preset or a command stands behind a link's name.
func (l *latencyCommand) outOfOrder(args []string) error {
	for i, word := range args {
		what := ""
		switch {
		case looksLikeTime(word):
			what = "the latency"
		case slices.Contains(l.presets.names(), word):
			what = "the preset"
		case slices.Contains(commands, word):
			what = word
		}
		if what != "" {
			right := slices.Concat([]string{word}, args[:i], args[i+1:])
			return fmt.Errorf("%s comes first: scripts/latency %s", what, strings.Join(right, " "))
		}
	}
	return nil
}

// meant returns the settings that a latency or a preset's name stands for, or says that it is a link or path.
func (l *latencyCommand) meant(word string) (s Settings, isTarget bool, err error) {
	if looksLikeTime(word) {
		s, err = parseLatency(word)
		return s, false, err
	}
	if preset, err := l.presets.Find(word); err == nil {
		return preset.Settings, false, nil
	}
	if _, err := target(l.set, word); err == nil {
		return s, true, nil
	}
	known := slices.Concat(l.presets.names(), targetNames(l.set), commands, []string{everything, "presets"})
	return s, false, wording.Unknown("latency (10ms), preset, link or path", word, known)
}

var negative = regexp.MustCompile(`^unknown shorthand flag: '[0-9.]' in (-\S+)`)

// explainNegative says what is wrong with -5ms, which looks like a flag.
func explainNegative(_ *cobra.Command, err error) error {
	if match := negative.FindStringSubmatch(err.Error()); match != nil {
		_, err = parseMS(match[1])
	}
	return err
}
