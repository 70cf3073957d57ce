package cliui

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// SplitPaths returns the arguments before and after "--".
func SplitPaths(cmd *cobra.Command, args []string) (before, paths []string) {
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		return args[:n], args[n:]
	}
	return args, nil
}

// NoArguments returns an error for any argument, with a hint to use --to where the command has
// that flag.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := fmt.Sprintf("`%s --help` shows what it takes", cmd.CommandPath())
	if cmd.Flags().Lookup("to") != nil {
		hint = fmt.Sprintf("did you mean `%s --to %s`?", cmd.CommandPath(), args[0])
	}
	return Failf(hint, "unexpected argument %q", args[0])
}

// OneArgument returns an error unless there is exactly one argument.
func OneArgument(cmd *cobra.Command, args []string) error {
	if err := cobra.ExactArgs(1)(cmd, args); err != nil {
		return Failf(formOf(cmd), "%w", err)
	}
	return nil
}

// formOf returns a hint with the form of a command.
func formOf(cmd *cobra.Command) string {
	return fmt.Sprintf("`%s --help` shows what it takes: %s", cmd.CommandPath(), strings.TrimSuffix(cmd.UseLine(), " [flags]"))
}

// groupKey annotates a flag with the title that it stands below in help.
const groupKey = "entire_group"

// A FlagGroup is a title in the help and the flags below it.
type FlagGroup struct {
	Title string
	Names []string
}

// GroupFlags puts flags below titles in the help, in this order.
func GroupFlags(flags *pflag.FlagSet, groups ...FlagGroup) {
	for g, group := range groups {
		for i, name := range group.Names {
			flags.SetAnnotation(name, groupKey, []string{group.Title, fmt.Sprintf("%02d %02d", g, i)})
		}
	}
}

// HideFlags hides flags from the help; they still work.
func HideFlags(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		flags.Lookup(name).Hidden = true
	}
}

func AtMostOneArgument(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	return OneArgument(cmd, args)
}

func OneOrMore(cmd *cobra.Command, args []string) error { return atLeast(cmd, args, 1) }

func TwoOrMore(cmd *cobra.Command, args []string) error { return atLeast(cmd, args, 2) }

func atLeast(cmd *cobra.Command, args []string, n int) error {
	if err := cobra.MinimumNArgs(n)(cmd, args); err != nil {
		return Failf(formOf(cmd), "%w", err)
	}
	return nil
}

func AtLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Failf(fmt.Sprintf("`%s --help` shows what it takes", cmd.CommandPath()), "name %s", what)
		}
		return nil
	}
}
