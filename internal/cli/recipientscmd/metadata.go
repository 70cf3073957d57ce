package recipientscmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
)

func metadataCommand(env *cliui.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "metadata [lists|nothing]",
		Short: "Say what of a checkpoint stays readable for everybody",
		Long: `Say what of a checkpoint stays readable for everybody, where conversations are encrypted.

With "lists", the default, agents, branches, names of changed files, tokens and the
numbers of each author's lines stay readable, so that lists work for everybody. With
"nothing" these are encrypted, too: lists work for who has a key, and others see that
there is a checkpoint, its session and its date. What is stored already stays as it is.`,
		Example:   "  entire recipients metadata nothing",
		Args:      cliui.AtMostOneArgument,
		ValidArgs: []string{config.ReadableLists, config.ReadableNothing},
		RunE:      func(cmd *cobra.Command, args []string) error { return runMetadata(cmd.Context(), env, args) },
	}
}

func runMetadata(ctx context.Context, env *cliui.Env, args []string) error {
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	e, err := config.ReadEncryption(wp.Place.Settings)
	if err != nil {
		return badSettings(wp, err)
	}
	if len(args) == 0 {
		_, err := fmt.Fprintln(env.Out, readable(e.Nothing))
		return err
	}
	if args[0] != config.ReadableLists && args[0] != config.ReadableNothing {
		return cliui.Failf("`entire recipients metadata nothing`, or lists", "recipients metadata: %s is neither lists nor nothing", cliui.ShownLine(args[0]))
	}
	if len(e.Recipients) == 0 {
		return cliui.Failf("`entire recipients add KEY` comes first", "recipients metadata: %w", errors.New("the settings here name no recipients"))
	}
	e.Nothing = args[0] == config.ReadableNothing
	if err := config.Update(wp.Place.Settings, config.Project, func(f *config.File) error { return config.SetEncryption(f, e) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Out, "%s\nWhat is stored already stays as it is. Commit %s, so that other clones do the same.\n", readable(e.Nothing), cliui.ShownLine(shownPath(wp)))
	return err
}

// readable says what stays readable.
func readable(nothing bool) string {
	if nothing {
		return "Of a checkpoint only its ID, its sessions' IDs and its date are readable for everybody."
	}
	return "Agents, branches, changed files, tokens and shares of a checkpoint are readable for everybody."
}
