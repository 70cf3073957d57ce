package setupcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"entire/agent"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/project"
	"entire/strategy/restore"
)

// setUp carries out enable. It plans the changes of the agents' settings before it writes
// anything, so a file that cannot be edited stops it early.
func setUp(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, list []agent.Agent, o enableOptions) error {
	edits, err := planHooks(wp.Repo.Top, list, agent.InstallOptions{Force: o.force, LocalDev: o.localDev || wp.Settings.LocalDev, Tools: workplace.ToolHooks(o.settings(wp.Settings))})
	if err != nil {
		return err
	}
	tellAgents(env, list, o.agentGiven)
	before := beforeEnable(ctx, wp, list)
	if err := applyAll(edits); err != nil {
		return err
	}
	if err := config.EnsureGitignore(wp.Repo.Top); err != nil {
		return err
	}
	target, err := configure(env, wp, o)
	if err != nil {
		return err
	}
	var wrong config.WrongValues // openForEnable has warned of these
	if wp.Settings, err = config.Load(wp.Repo.Top); err != nil && !errors.As(err, &wrong) {
		return err
	}
	linked, err := workplace.InstallGitHooks(ctx, env, wp)
	if err != nil {
		return err
	}
	tellHooks(env, list, edits, o.agentGiven, linked)
	fmt.Fprintf(env.Out, "✓ Project configured (%s)\n", cliui.SettingsName(target))
	if err := restore.EnsureSetup(ctx, wp.Engine); err != nil {
		return err
	}
	if wp.Settings.SessionStore() {
		if _, err := project.Key(ctx, wp.Repo.Top, env.Environ); err != nil { // record it now: hooks do not search long
			return err
		}
	}
	closing := "Ready.\n"
	if !linked {
		closing = workplace.HooksByHand
	}
	fmt.Fprint(env.Out, "\n", closing, "\n")
	tellWritten(env, list, changedSince(wp.Repo.Top, before), wp.Repo.FoldersInWorktree())
	return nil
}

// configure writes the settings and returns the file to name to a person. It writes nothing if
// the project's settings already say what is wanted.
func configure(env *cliui.Env, wp *workplace.Workplace, o enableOptions) (config.Target, error) {
	top := wp.Repo.Top
	named := o.local || o.project || o.agentGiven || o.setsSomething() || o.telemGiven || optsOut(env, wp.Settings)
	if wp.Settings.Enabled && !named && workplace.FileExists(config.Path(top, config.Project)) {
		return config.Project, writeLocalDev(top, o)
	}
	target := settingsTarget(env, top, o)
	return target, writeSettings(env, top, target, o)
}

// optsOut reports whether the environment refuses telemetry and the settings do not yet.
func optsOut(env *cliui.Env, s config.Settings) bool {
	return env.Getenv("ENTIRE_TELEMETRY_OPTOUT") != "" && (s.Telemetry == nil || *s.Telemetry)
}

// settingsTarget returns the one settings file to write.
func settingsTarget(env *cliui.Env, top string, o enableOptions) config.Target {
	switch {
	case o.local:
		return config.Local
	case o.project || o.agentGiven || !workplace.FileExists(config.Path(top, config.Project)):
		return config.Project
	}
	fmt.Fprintln(env.Out, "Info: Project settings exist. Saving to settings.local.json instead.")
	fmt.Fprintln(env.Out, "Info: Use --project to change the project's settings.")
	return config.Local
}

func writeSettings(env *cliui.Env, top string, target config.Target, o enableOptions) error {
	err := config.Update(top, target, func(f *config.File) error {
		if _, named := f.Get("strategy"); o.strategyGiven || target == config.Project && !named {
			if err := f.Set("strategy", cmp.Or(o.strategy, config.DefaultStrategy)); err != nil {
				return err
			}
		}
		if err := f.Set("enabled", true); err != nil {
			return err
		}
		return writeOptional(env, f, o)
	})
	if err == nil {
		err = writeLocalDev(top, o)
	}
	if err != nil {
		return err
	}
	return liftLocalBan(env, top)
}

// writeLocalDev never writes the project's file: that would run a program for everybody who pulls
// the project.
func writeLocalDev(top string, o enableOptions) error {
	if !o.localDevGiven {
		return nil
	}
	return config.Update(top, config.Local, func(f *config.File) error { return f.Set("local_dev", o.localDev) })
}

// writeOptional writes the settings that flags name.
func writeOptional(env *cliui.Env, f *config.File, o enableOptions) error {
	if o.skipPush {
		if err := f.SetOption("push_sessions", false); err != nil {
			return err
		}
	}
	if o.guardGiven {
		if err := config.SetGuard(f, !o.noGuard); err != nil {
			return err
		}
	}
	switch {
	case env.Getenv("ENTIRE_TELEMETRY_OPTOUT") != "", o.telemGiven && !o.telem:
		return f.Set("telemetry", false)
	case o.telemGiven:
		return f.Set("telemetry", true)
	}
	return nil
}

// liftLocalBan reverts an earlier `entire disable` in the local settings, which would override
// the project's settings.
func liftLocalBan(env *cliui.Env, top string) error {
	if config.Enabled(top) {
		return nil
	}
	fmt.Fprintf(env.Out, "Info: %s said disabled; it now says enabled.\n", cliui.SettingsName(config.Local))
	return config.Update(top, config.Local, func(f *config.File) error { return f.Set("enabled", true) })
}
