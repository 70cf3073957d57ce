package setupcmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/config"
)

func disableCommand(env *cliui.Env) *cobra.Command {
	var project, uninstall, force, global bool
	cmd := &cobra.Command{
		Use:   "disable",
		Short: "Stop saving, or remove everything",
		Long: `Stop saving: no hook does anything until ` + "`entire enable`" + `.

With --uninstall the command removes hooks, settings and steps that are in no
commit, and restores earlier hooks and settings. Committed checkpoints stay on the
branch entire/checkpoints/v1.`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if global {
				return runDisableGlobal(env)
			}
			if uninstall {
				return env.AllOrNothing(func(env *cliui.Env) error { return runUninstall(cmd.Context(), env, force) })
			}
			return runDisable(cmd.Context(), env, project)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&project, "project", false, "write .entire/settings.json, which the project shares")
	f.BoolVar(&global, "global", false, "take enable --global back")
	f.BoolVar(&uninstall, "uninstall", false, "remove everything")
	f.BoolVar(&force, "force", false, "with --uninstall: do not ask")
	return cmd
}

func runDisable(ctx context.Context, env *cliui.Env, project bool) error {
	top, err := settingsTop(ctx, env)
	if err != nil {
		return err
	}
	target := config.Local
	if project {
		target = config.Project
	}
	if err := config.EnsureGitignore(top); err != nil {
		return err
	}
	if err := config.Update(top, target, func(f *config.File) error { return f.Set("enabled", false) }); err != nil {
		return cliui.ToCorrect("%w", err)
	}
	if config.Enabled(top) {
		// The local settings file overrides the project's.
		fmt.Fprintf(env.Err, "warning: %s keeps Entire enabled here; `entire disable` changes that\n", cliui.SettingsName(config.Local))
		_, err = fmt.Fprintf(env.Out, "%s now says disabled.\n", cliui.SettingsName(target))
		return err
	}
	_, err = fmt.Fprintln(env.Out, "Entire is now disabled.")
	return err
}
