package configcmd

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"entire/internal/cli/cliui"
	"entire/internal/config"
)

// Register adds the command config to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	cmd := &cobra.Command{
		Use:   "config COMMAND",
		Short: "List, read and change the settings",
		Long: `List, read and change the settings.

A setting stands in the project's file (.entire/settings.json, which you commit), in
your own for this repository (.entire/settings.local.json) or in your own for all
repositories. Your own comes first. Some count only in your own files, because a
committed file must not decide them for other people.

docs/settings.md lists all settings.`,
		Example: `  entire config list --changed
  entire config get capture.max_file_mb
  entire config set capture.max_file_mb 200 --project
  entire config set guard.deny "git push --force" "git clean"
  entire config unset guard.deny`,
		Args: cliui.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(listCommand(env), getCommand(env), setCommand(env), unsetCommand(env), schemaCommand(env))
	parent.AddCommand(cmd)
}

// where are the flags that name a file.
type where struct{ local, project, user bool }

func (w *where) add(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVar(&w.local, "local", false, what+" your file for this repository (settings.local.json)")
	cmd.Flags().BoolVar(&w.project, "project", false, what+" the project's file (settings.json)")
	cmd.Flags().BoolVar(&w.user, "user", false, what+" your file for all repositories")
	cmd.MarkFlagsMutuallyExclusive("local", "project", "user")
}

// place returns the place that the flags name, 0 for none.
func (w *where) place() config.Place {
	switch {
	case w.local:
		return config.InLocal
	case w.project:
		return config.InProject
	case w.user:
		return config.InUser
	}
	return 0
}

func listCommand(env *cliui.Env) *cobra.Command {
	var w where
	var changed, asJSON bool
	cmd := &cobra.Command{
		Use:   "list [BEGINNING]",
		Short: "List the settings, their values, and where each comes from",
		Long: `List the settings, their values, and where each comes from: default, project, local or
user. A value that stands in a file and does not count is listed with the reason.
With BEGINNING only the settings whose name begins so; with a file's flag only what
stands in that file. Keys that the program does not know are not listed; other tools
have keys of their own in these files.`,
		Example: `  entire config list --changed
  entire config list retention
  entire config list --project --json`,
		Args:              cliui.AtMostOneArgument,
		ValidArgsFunction: completeName,
		RunE: func(_ *cobra.Command, args []string) error {
			return runList(env, listing{beginning: first(args), place: w.place(), changed: changed, asJSON: asJSON})
		},
	}
	w.add(cmd, "only what stands in")
	cmd.Flags().BoolVar(&changed, "changed", false, "only what stands in a file")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object for each, in a list")
	return cmd
}

func getCommand(env *cliui.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "get SETTING",
		Short: "Print the value that counts",
		Long: `Print the value of a setting that counts here: a text without quotes, a list of texts
one on each line, everything else as JSON. If it is not set, its default; if it has
none, nothing, and the exit status is 1. --json also says where it comes from.`,
		Example: `  entire config get strategy
  entire config get guard.deny --json`,
		Args:              cliui.OneArgument,
		ValidArgsFunction: completeName,
		RunE:              func(_ *cobra.Command, args []string) error { return runGet(env, args[0], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object with the value and where it comes from")
	return cmd
}

func setCommand(env *cliui.Env) *cobra.Command {
	var w where
	cmd := &cobra.Command{
		Use:   "set SETTING VALUE...",
		Short: "Set a setting in one of the files",
		Long: `Set a setting in your own file for this repository, or in the file that a flag names.
A value is true or false, a number, or a text; a list takes several values or one JSON
list. A setting that counts only in one file goes there. What cannot be is refused, and
nothing is written.`,
		Example: `  entire config set log_level debug
  entire config set trailers '[{"agents": "assisted-by"}]' --project
  entire config set redaction.custom_redactions.staff 'EMP-[0-9]+' --project
  entire config set retention.keep 100 --user`,
		Args:              cliui.TwoOrMore,
		ValidArgsFunction: completeValue,
		RunE:              func(_ *cobra.Command, args []string) error { return runSet(env, w.place(), args[0], args[1:]) },
	}
	w.add(cmd, "write")
	cmd.SetFlagErrorFunc(valueWithDash)
	return cmd
}

// valueWithDash returns an error about a flag with a hint where a value was meant that begins with a dash, such as -5.
func valueWithDash(_ *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() == "" {
		return err
	}
	value := cliui.ShownLine(unknown.GetSpecifiedShortnames())
	return cliui.Failf("if it is a value, put -- before the setting, as in `entire config set -- SETTING -"+value+"`", "config set has no flag -%s", value)
}

func unsetCommand(env *cliui.Env) *cobra.Command {
	var w where
	cmd := &cobra.Command{
		Use:   "unset SETTING",
		Short: "Take a setting out of one of the files",
		Long: `Take a setting out of your own file for this repository, or of the file that a flag
names, and the objects around it that become empty. Every other byte stays.`,
		Example: `  entire config unset guard.deny
  entire config unset capture.max_file_mb --project`,
		Args:              cliui.OneArgument,
		ValidArgsFunction: completeName,
		RunE:              func(_ *cobra.Command, args []string) error { return runUnset(env, w.place(), args[0]) },
	}
	w.add(cmd, "write")
	return cmd
}

func schemaCommand(env *cliui.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of the settings files, for editors",
		Long: `Print the JSON schema of the settings files. An editor that is given it completes keys
and marks wrong values; name it in the file as "$schema", or in the editor's settings.`,
		Example: `  entire config schema >settings.schema.json`,
		Args:    cliui.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return env.PrintJSON(Schema()) },
	}
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
