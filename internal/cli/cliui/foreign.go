package cliui

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A Foreign is a command of other versions of this program.
type Foreign struct {
	Name string // as it is typed after the program's name
	Ours string // what does the same, or the nearest to it, as a person types it
	Runs string // the command, with flags, that Name runs here; "" if it runs none
	Says string // one clause: why there is no such command, or what is different; "" for nothing
	Flag string // the flag of Runs that takes the first argument; "" if it stays an argument
}

// Hint returns what to use instead, as a hint.
func (f Foreign) Hint() string {
	if f.Ours == "" {
		return ""
	}
	return "use `" + strings.ReplaceAll(f.Ours, ", ", "`, or `") + "`"
}

// refusal returns the error of a command that is not run.
func (f Foreign) refusal() error {
	return Failf(f.Hint(), "`entire %s` is a command of other versions: %s", f.Name, f.Says)
}

// args returns what is run in place of the command with its arguments.
func (f Foreign) args(given []string) []string {
	out := strings.Fields(f.Runs)
	if f.Flag != "" && len(given) > 0 && !strings.HasPrefix(given[0], "-") {
		out = append(out, f.Flag)
	}
	return append(out, given...)
}

// AddForeign adds hidden commands to root for those names that it does not have: they run ours, or say what to use
// instead. run runs the program.
func AddForeign(root *cobra.Command, list []Foreign, run func(context.Context, Foreign, []string) error) {
	for _, f := range list {
		words := strings.Fields(f.Name)
		if parent, missing, err := root.Find(words); err == nil && len(missing) == 1 && f.Runs+f.Says != "" {
			parent.AddCommand(f.command(root, run))
		}
	}
}

func (f Foreign) command(root *cobra.Command, run func(context.Context, Foreign, []string) error) *cobra.Command {
	words := strings.Fields(f.Name)
	cmd := &cobra.Command{
		Use: words[len(words)-1], Hidden: true, DisableFlagParsing: true, Annotations: map[string]string{foreignKey: f.Ours},
		Short: "A command of other versions",
	}
	ours, left, err := root.Find(strings.Fields(f.Runs))
	if f.Runs == "" || err != nil || slices.ContainsFunc(left, func(word string) bool { return !strings.HasPrefix(word, "-") }) {
		if f.Runs != "" { // ours is not there
			f.Ours = ""
		}
		cmd.Long = "A command of other versions of this program: " + f.Says + "."
		if f.Ours != "" {
			cmd.Long += " Here " + f.Hint() + "."
		}
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if asksHelp(args) {
				return cmd.Help()
			}
			return f.refusal()
		}
		return cmd
	}
	cmd.Long = "A name that other versions have. It does what `entire " + f.Runs + "` does here."
	cmd.ValidArgsFunction = ours.ValidArgsFunction
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), f, f.args(args)) }
	return cmd
}

func asksHelp(args []string) bool {
	return slices.Contains(args, "--help") || slices.Contains(args, "-h")
}

// foreignKey annotates a command of other versions with what is used here.
const foreignKey = "entire_foreign"

// IsForeign reports whether a command is there only because other versions have it.
func IsForeign(cmd *cobra.Command) bool { _, is := cmd.Annotations[foreignKey]; return is }
