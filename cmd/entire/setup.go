package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"entire/agent"
	"entire/internal/config"
	"entire/internal/project"
	"entire/strategy/condense"
	"entire/strategy/restore"
)

// setUp carries out enable. It plans the change of the agent's settings before it writes
// anything, so a file that cannot be edited stops it early.
func (w *world) setUp(ctx context.Context, wp *workplace, ag agent.Agent, o enableOptions) error {
	edit, err := planAgentHooks(wp.repo.Top, ag, agent.InstallOptions{Force: o.force, LocalDev: o.localDev || wp.settings.LocalDev, Tools: toolHooks(wp.settings.Checkpoints())})
	if err != nil {
		return failf("correct the file or move it away", "%w", err)
	}
	if o.agentGiven {
		fmt.Fprintf(w.out, "Agent: %s\n\n", ag.Type())
	} else {
		fmt.Fprintf(w.out, "Agent: %s (use --agent to change)\n\n", ag.Type())
	}
	before := beforeEnable(ctx, wp, ag)
	if err := edit.apply(); err != nil {
		return err
	}
	if err := config.EnsureGitignore(wp.repo.Top); err != nil {
		return err
	}
	target, err := w.configure(wp, o)
	if err != nil {
		return err
	}
	var wrong config.WrongValues // openForEnable has warned of these
	if wp.settings, err = config.Load(wp.repo.Top); err != nil && !errors.As(err, &wrong) {
		return err
	}
	linked, err := w.installGitHooks(ctx, wp)
	if err != nil {
		return err
	}
	switch {
	case ag.SettingsPath() == "":
		fmt.Fprint(w.out, howToCall)
	case !o.agentGiven && linked:
		fmt.Fprintln(w.out, "✓ Hooks installed")
	case !o.agentGiven:
		fmt.Fprintf(w.out, "✓ Hooks of %s installed\n", ag.Type())
	case edit.count > 0:
		fmt.Fprintf(w.out, "Installed %s for %s%s\n", count(edit.count, "hook"), descriptions[ag.Name()], preview(ag))
	default:
		fmt.Fprintf(w.out, "Hooks for %s already installed%s\n", descriptions[ag.Name()], preview(ag))
	}
	fmt.Fprintf(w.out, "✓ Project configured (%s)\n", settingsName(target))
	if err := restore.EnsureSetup(ctx, wp.engine); err != nil {
		return err
	}
	if wp.settings.SessionStore() {
		project.InRepo(ctx, wp.repo) // record the project now, to save hooks the search
	}
	if name := wp.settings.Strategy; name != config.DefaultStrategy && name != condense.StrategyAuto {
		fmt.Fprintf(w.err, "warning: strategy %s is recorded; this version works as %s\n", wp.settings.Strategy, config.DefaultStrategy)
	}
	closing := "Ready.\n"
	if !linked {
		closing = byHand
	}
	fmt.Fprint(w.out, "\n", closing, "\n")
	w.tellWritten(ag, changedSince(wp.repo.Top, before))
	return nil
}

// configure writes the settings and returns the file to name to a person. It writes nothing if
// the project's settings already say what is wanted.
func (w *world) configure(wp *workplace, o enableOptions) (config.Target, error) {
	top := wp.repo.Top
	named := o.local || o.project || o.agentGiven || o.setsSomething() || o.telemGiven || w.optsOut(wp.settings)
	if wp.settings.Enabled && !named && fileExists(config.Path(top, config.Project)) {
		return config.Project, w.writeLocalDev(top, o)
	}
	target := w.settingsTarget(top, o)
	return target, w.writeSettings(top, target, o)
}

// optsOut reports whether the environment refuses telemetry and the settings do not yet.
func (w *world) optsOut(s config.Settings) bool {
	return w.env("ENTIRE_TELEMETRY_OPTOUT") != "" && (s.Telemetry == nil || *s.Telemetry)
}

// settingsTarget returns the one settings file to write.
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
	if err == nil {
		err = w.writeLocalDev(top, o)
	}
	if err != nil {
		return err
	}
	return w.liftLocalBan(top)
}

// writeLocalDev never writes the project's file: that would run a program for everybody who pulls
// the project.
func (w *world) writeLocalDev(top string, o enableOptions) error {
	if !o.localDevGiven {
		return nil
	}
	return config.Update(top, config.Local, func(f *config.File) error { return f.Set("local_dev", o.localDev) })
}

// writeOptional writes the settings that flags name.
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

// liftLocalBan reverts an earlier `entire disable` in the local settings, which would override
// the project's settings.
func (w *world) liftLocalBan(top string) error {
	if config.Enabled(top) {
		return nil
	}
	fmt.Fprintf(w.out, "Info: %s said disabled; it now says enabled.\n", settingsName(config.Local))
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
