package main

import (
	"context"
	"fmt"
	"path/filepath"

	"entire/agent"
	"entire/internal/config"
)

// setUp does what enable promises. What the agent's settings will be is known
// before anything is written, so that a file we cannot edit stops it early.
func (w *world) setUp(ctx context.Context, wp *workplace, ag agent.Agent, o enableOptions) error {
	edit, err := planAgentHooks(wp.repo.Top, ag, agent.InstallOptions{Force: o.force, LocalDev: o.localDev || wp.settings.LocalDev})
	if err != nil {
		return failf("correct the file or move it away", "%w", err)
	}
	if o.agentGiven {
		fmt.Fprintf(w.out, "Agent: %s\n\n", ag.Type())
	} else {
		fmt.Fprintf(w.out, "Agent: %s (use --agent to change)\n\n", ag.Type())
	}
	if err := edit.apply(); err != nil {
		return err
	}
	if err := config.EnsureGitignore(wp.repo.Top); err != nil {
		return err
	}
	target := w.settingsTarget(wp.repo.Top, o)
	if err := w.writeSettings(wp.repo.Top, target, o); err != nil {
		return err
	}
	if wp.settings, err = config.Load(wp.repo.Top); err != nil {
		return err
	}
	if err := w.installGitHooks(ctx, wp); err != nil {
		return err
	}
	switch {
	case !o.agentGiven:
		fmt.Fprintln(w.out, "✓ Hooks installed")
	case edit.count > 0:
		fmt.Fprintf(w.out, "Installed %d hooks for %s\n", edit.count, descriptions[ag.Name()])
	default:
		fmt.Fprintf(w.out, "Hooks for %s already installed\n", descriptions[ag.Name()])
	}
	fmt.Fprintf(w.out, "✓ Project configured (%s)\n", settingsName(target))
	if err := wp.engine.EnsureSetup(ctx); err != nil {
		return err
	}
	if wp.settings.Strategy != config.DefaultStrategy {
		fmt.Fprintf(w.err, "warning: strategy %s is recorded; this version works as %s\n", wp.settings.Strategy, config.DefaultStrategy)
	}
	if !wp.settings.Enabled {
		fmt.Fprintf(w.err, "warning: %s still says that Entire is disabled here\n", settingsName(config.Local))
	}
	_, err = fmt.Fprint(w.out, "\nReady.\n")
	return err
}

// settingsTarget is the one file that is written.
func (w *world) settingsTarget(top string, o enableOptions) config.Target {
	switch {
	case o.local:
		return config.Local
	case o.project || o.agentGiven || !fileExists(config.Path(top, config.Project)):
		return config.Project
	}
	fmt.Fprintln(w.out, "Info: Project settings exist. Saving to settings.local.json instead.")
	fmt.Fprintln(w.out, "Info: Use --project to change the project's settings.")
	return config.Local
}

func (w *world) writeSettings(top string, target config.Target, o enableOptions) error {
	err := config.Update(top, target, func(f *config.File) error {
		if _, named := f.Get("strategy"); o.strategyGiven || target == config.Project && !named {
			if err := f.Set("strategy", strategyOr(o.strategy, config.DefaultStrategy)); err != nil {
				return err
			}
		}
		if err := f.Set("enabled", true); err != nil {
			return err
		}
		return w.writeOptional(f, o)
	})
	if err == nil && o.localDevGiven {
		// Elsewhere it would run a program for whoever pulls the project.
		err = config.Update(top, config.Local, func(f *config.File) error { return f.Set("local_dev", o.localDev) })
	}
	if err != nil || target == config.Local || o.project {
		return err
	}
	return w.liftLocalBan(top)
}

// writeOptional records what was asked for by name.
func (w *world) writeOptional(f *config.File, o enableOptions) error {
	if o.skipPush {
		if err := f.SetOption("push_sessions", false); err != nil {
			return err
		}
	}
	switch {
	case w.env("ENTIRE_TELEMETRY_OPTOUT") != "", o.telemGiven && !o.telem:
		return f.Set("telemetry", false)
	case o.telemGiven:
		return f.Set("telemetry", true)
	}
	return nil
}

// liftLocalBan undoes an earlier `entire disable`, which would win over the
// project's settings: whoever enables wants it enabled.
func (w *world) liftLocalBan(top string) error {
	if config.Enabled(top) {
		return nil
	}
	fmt.Fprintf(w.out, "Info: %s said disabled; it says enabled now.\n", settingsName(config.Local))
	return config.Update(top, config.Local, func(f *config.File) error { return f.Set("enabled", true) })
}

func strategyOr(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}

func settingsName(t config.Target) string {
	return filepath.ToSlash(config.Path(".", t))
}
