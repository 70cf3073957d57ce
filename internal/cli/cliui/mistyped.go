package cliui

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// farthest is how many letters a mistyped name may differ.
const farthest = 2

// Mistyped turns an error about an unknown command or flag into one line that suggests the
// nearest name.
func (env *Env) Mistyped(cmd *cobra.Command, err error) error {
	text := OneLine(err.Error())
	var meant []string
	var unknown *unknownCommandError
	switch {
	case errors.As(err, &unknown):
		cmd = unknown.parent
		meant = commandsLike(cmd, unknown.name)
	case strings.HasPrefix(text, "unknown flag: --"):
		meant = flagsLike(cmd, strings.TrimPrefix(text, "unknown flag: --"))
		text += fmt.Sprintf(" for %q", cmd.CommandPath())
	case strings.HasPrefix(text, "unknown shorthand flag: "):
		text += fmt.Sprintf(" for %q", cmd.CommandPath())
	default:
		if status := statusOf(err); status != 1 {
			return ExitWith(status, unfit(cmd, err))
		}
		return unfit(cmd, err)
	}
	advice := fmt.Sprintf("; `%s --help` lists them", cmd.CommandPath())
	if len(meant) > 0 {
		advice = fmt.Sprintf("; did you mean `%s`?", strings.Join(meant, "` or `"))
	}
	fmt.Fprintf(env.Err, "Error: Invalid usage: %s%s\n", text, advice)
	return ExitWith(statusOf(err), ErrTold)
}

// unfit returns an error about the value of a flag in plain words and with a hint, other errors as they are.
func unfit(cmd *cobra.Command, err error) error {
	hint := fmt.Sprintf("`%s --help` shows what it takes", cmd.CommandPath())
	var wrong *pflag.InvalidValueError
	var none *pflag.ValueRequiredError
	var number *strconv.NumError
	switch {
	case errors.As(err, &none):
		return Failf(hint, "%w", err)
	case errors.As(err, &wrong) && wrong.GetFlag().Value.Type() == "bool":
		return Failf(hint, "--%s takes no value but true or false: %q", wrong.GetFlag().Name, ShownLine(wrong.GetValue()))
	case errors.As(err, &wrong) && errors.As(err, &number):
		return Failf(hint, "--%s takes a number: %q", wrong.GetFlag().Name, ShownLine(wrong.GetValue()))
	case errors.As(err, &wrong) && wrong.GetFlag().Value.Type() == "duration":
		return Failf("as in 30m or 12h", "--%s takes a time: %q", wrong.GetFlag().Name, ShownLine(wrong.GetValue()))
	}
	return err
}

// commandsLike returns the commands below cmd with a name like the typed one, or with such a word that
// people try for them; if there are none, those elsewhere with exactly that name.
func commandsLike(cmd *cobra.Command, typed string) []string {
	var names, elsewhere []string
	of := map[string]string{}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			for _, name := range append([]string{sub.Name()}, sub.SuggestFor...) {
				names, of[name] = append(names, name), sub.Name()
			}
		}
	}
	var found []string
	for _, name := range alike(names, typed) {
		if path := cmd.CommandPath() + " " + of[name]; !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	for _, sub := range cmd.Root().Commands() {
		for _, deep := range sub.Commands() {
			if !sub.Hidden && deep.IsAvailableCommand() && (deep.Name() == typed || deep.HasAlias(typed)) {
				elsewhere = append(elsewhere, deep.CommandPath())
			}
		}
	}
	if found == nil {
		return elsewhere
	}
	return found
}

func flagsLike(cmd *cobra.Command, typed string) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	var found []string
	for _, name := range alike(names, typed) {
		found = append(found, "--"+name)
	}
	return found
}

// alike returns at most two of the names: those that typed begins, or those with the fewest
// different letters.
func alike(names []string, typed string) []string {
	typed = strings.ToLower(typed)
	far := func(name string) int {
		if len(typed) > 1 && strings.HasPrefix(name, typed) {
			return 0
		}
		return distance(name, typed)
	}
	limit := min(farthest, len(typed)/2)
	found := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return far(name) > limit })
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(far(a), far(b)) })
	return found[:min(len(found), 2)]
}

// Alike returns at most two of the names that a mistyped one may have meant.
func Alike(names []string, typed string) []string { return alike(names, typed) }

// distance returns how many letters have to be inserted, deleted, changed, or swapped with the
// next one to turn a into b.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range len(a) {
		older := before
		before, row = row, make([]int, len(b)+1)
		row[0] = i + 1
		for k := range len(b) {
			other := 1
			if a[i] == b[k] {
				other = 0
			}
			row[k+1] = min(before[k]+other, before[k+1]+1, row[k]+1)
			if i > 0 && k > 0 && a[i] == b[k-1] && a[i-1] == b[k] {
				row[k+1] = min(row[k+1], older[k-1]+1)
			}
		}
	}
	return row[len(b)]
}

// An unknownCommandError is a word that names no command below parent.
type unknownCommandError struct {
	parent *cobra.Command
	name   string
}

func (e *unknownCommandError) Error() string {
	return fmt.Sprintf("unknown command %q for %q", e.name, e.parent.CommandPath())
}

// RefuseUnknown lets the commands below cmd that have only subcommands refuse a name that is none of them;
// cobra prints the help and exits with 0.
func RefuseUnknown(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		RefuseUnknown(sub)
		if sub.HasSubCommands() && !sub.Runnable() {
			sub.Args, sub.RunE = NoSuchCommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// NoSuchCommand returns an error for any argument of a command that has only subcommands.
func NoSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return &unknownCommandError{cmd, args[0]}
}
