package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"entire/internal/config"
)

func (w *world) disableCommand() *cobra.Command {
	var project, uninstall, force bool
	cmd := &cobra.Command{
		Use:   "disable",
		Short: "Stop saving, or remove everything",
		Long: `Stop saving: no hook does anything until ` + "`entire enable`" + `.

With --uninstall the command removes hooks, settings and steps that are in no
commit, and restores earlier hooks and settings. Committed checkpoints stay on the
branch entire/checkpoints/v1.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if uninstall {
				return w.allOrNothing(func(w *world) error { return w.uninstall(cmd.Context(), force) })
			}
			return w.disable(cmd.Context(), project)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&project, "project", false, "write .entire/settings.json, which the project shares")
	f.BoolVar(&uninstall, "uninstall", false, "remove everything")
	f.BoolVar(&force, "force", false, "with --uninstall: do not ask")
	return cmd
}

func (w *world) disable(ctx context.Context, project bool) error {
	top, err := w.settingsTop(ctx)
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
		return failf("correct the file or move it away", "%w", err)
	}
	if config.Enabled(top) {
		// The local settings file overrides the project's.
		fmt.Fprintf(w.err, "warning: %s keeps Entire enabled here; `entire disable` changes that\n", settingsName(config.Local))
		_, err = fmt.Fprintf(w.out, "%s now says disabled.\n", settingsName(target))
		return err
	}
	_, err = fmt.Fprintln(w.out, "Entire is now disabled.")
	return err
}
