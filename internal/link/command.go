package link

import (
	"context"
	"regexp"

	"github.com/spf13/cobra"

	"pooler-lab/internal/topology"
)

// NewCommand returns `lab latency`, which shows and sets the latency of links. Whoever changes them while something
// measures is told.
func NewCommand(underWay UnderWay) *cobra.Command {
	var jitter, bandwidth string
	var asJSON bool
	command := &cobra.Command{
		Use:   "latency [LATENCY|PRESET] [LINK|PATH|all ...]",
		Short: "Show or set the latency of links, on live connections too",
		Long: `Shows every link with what it is set to add and the round trip measured just now; or sets links.
PORT is where programs of your own machine reach the link, as role app and database lab.

LATENCY is the round trip that a link adds, in whole milliseconds: 10ms, 10 and 0.01s are the same.
A path's name stands for its links, "all" for all links.
Afterwards a link carries exactly what you set: a jitter or bandwidth it had before is gone.
Setting primary-standby puts the standby's replication on that link; "off" takes it off again.`,
		Example: `  scripts/latency                          every link, measured
  scripts/latency 10ms client-primary      10 ms on one link
  scripts/latency 20ms pgpool --jitter 5ms
  scripts/latency 10ms all --bandwidth 1000
  scripts/latency satellite direct         a preset; 'scripts/latency presets' lists them
  scripts/latency cut client-pgbouncer     ends its connections, refuses new ones
  scripts/latency restore client-pgbouncer
  scripts/latency off                      nothing on any link`,
		Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			l, err := openLab(underWay)
			if err != nil {
				return err
			}
			out := screen{command.OutOrStdout(), command.ErrOrStderr(), asJSON}
			return l.showOrSet(command.Context(), out, args, jitter, bandwidth)
		},
	}
	command.Flags().StringVar(&jitter, "jitter", "", "answers come up to this much earlier or later, as 2ms")
	command.Flags().
		StringVar(&bandwidth, "bandwidth", "", "limit of each connection in each direction, in KB/s of 1000 bytes")
	command.PersistentFlags().BoolVar(&asJSON, "json", false, "print JSON")
	command.SetFlagErrorFunc(explainNegative)
	command.AddCommand(
		newOffCommand(underWay, &asJSON),
		newCutCommand(underWay, &asJSON),
		newRestoreCommand(underWay, &asJSON),
		newPresetsCommand(),
	)
	return command
}

func newOffCommand(underWay UnderWay, asJSON *bool) *cobra.Command {
	return &cobra.Command{
		Use:   "off [LINK|PATH|all ...]",
		Short: "Take everything off links (without a name: off all), and restore those that are cut",
		Args:  cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{everything}
			}
			return change(command, underWay, *asJSON, args, (*lab).off)
		},
	}
}

func newCutCommand(underWay UnderWay, asJSON *bool) *cobra.Command {
	return &cobra.Command{
		Use:   "cut LINK|PATH|all ...",
		Short: "End the links' connections and refuse new ones",
		RunE: func(command *cobra.Command, args []string) error {
			return change(command, underWay, *asJSON, args, (*lab).cut)
		},
	}
}

func newRestoreCommand(underWay UnderWay, asJSON *bool) *cobra.Command {
	return &cobra.Command{
		Use:   "restore LINK|PATH|all ...",
		Short: "Let connections through links that were cut",
		RunE: func(command *cobra.Command, args []string) error {
			return change(command, underWay, *asJSON, args, (*lab).restore)
		},
	}
}

func newPresetsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "presets",
		Short: "List the presets: figures, where they come from, their limits",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			presets, err := LoadPresets(topology.Root())
			if err != nil {
				return err
			}
			presets.write(command.OutOrStdout())
			return nil
		},
	}
}

// change applies a change to the links that args stand for and shows them.
func change(
	command *cobra.Command,
	underWay UnderWay,
	asJSON bool,
	args []string,
	apply func(*lab, context.Context, []string) error,
) error {
	l, err := openLab(underWay)
	if err != nil {
		return err
	}
	out := screen{command.OutOrStdout(), command.ErrOrStderr(), asJSON}
	return l.changeAndShow(command.Context(), out, args, func(ctx context.Context, links []string) error {
		return apply(l, ctx, links)
	})
}

var negative = regexp.MustCompile(`^unknown shorthand flag: '[0-9.]' in (-\S+)`)

// explainNegative says what is wrong with -5ms, which looks like a flag.
func explainNegative(_ *cobra.Command, err error) error {
	if match := negative.FindStringSubmatch(err.Error()); match != nil {
		_, wrong := ParseMS(match[1])
		return wrong
	}
	return err
}
