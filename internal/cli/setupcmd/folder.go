package setupcmd

import (
	"context"
	"errors"
	"fmt"

	"entire/agent"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/project"
)

// This file has the commands for a folder outside git. Entire keeps its conversations, and its
// files as folder_files.go describes.

// inRepository is the error for --no-git in a git repository.
var inRepository = cliui.Failf("leave out --no-git", "this is a git repository")

// folderToEnable returns the folder outside git that enable is to set up; "" in a repository, or
// without --no-git.
func folderToEnable(ctx context.Context, env *cliui.Env, o enableOptions) (string, error) {
	top, err := workplace.FolderHere(ctx, env)
	if err != nil || top != "" || !o.noGit {
		return top, err
	}
	dir, err := env.Here()
	if err != nil {
		return "", err
	}
	outside, err := workplace.OutsideGit(ctx, env, dir)
	if err == nil && !outside {
		err = inRepository
	}
	return dir, err
}

// enableFolder does the part of enable that needs no git.
func enableFolder(ctx context.Context, env *cliui.Env, top string, o enableOptions) error {
	list, err := checkEnable(ctx, env, top, o)
	if err != nil {
		return err
	}
	if o.strategyGiven || o.skipPush || o.pushTo != "" || o.localDevGiven {
		return cliui.Failf(workplace.NeedGitHint, "--strategy, --skip-push-sessions, --push-to and --local-dev need a git repository")
	}
	settings, err := config.Load(top)
	if err != nil {
		return cliui.ToCorrect("%w", err)
	}
	if list == nil {
		if list, err = chooseAgents(ctx, env, top); err != nil {
			return err
		}
	}
	edits, err := planHooks(top, list, agent.InstallOptions{Force: o.force, Tools: workplace.ToolHooks(o.settings(settings))})
	if err == nil {
		err = applyAll(edits)
	}
	if err != nil {
		return err
	}
	if err := config.EnsureGitignore(top); err != nil {
		return err
	}
	target := config.Project
	if o.local {
		target = config.Local
	}
	if err := writeSettings(env, top, target, o); err != nil {
		return err
	}
	if _, err := project.Key(ctx, top, env.Environ); err != nil {
		return err
	}
	tellHooks(env, list, edits, false, false)
	fmt.Fprintf(env.Out, "✓ Folder configured (%s)\n\n", cliui.SettingsName(target))
	kept := "Files are kept too, at each turn: `entire rewind` and `entire undo` go back."
	wp, err := workplace.OpenFolder(ctx, env, top, true)
	switch {
	case errors.Is(err, workplace.ErrFolderTooLarge):
		kept = "Files are not kept: the folder has too many, or reading them takes too long. List in a .gitignore\nwhat need not be kept, and run this again."
	case err != nil:
		return err
	default:
		wp.Close()
	}
	_, err = fmt.Fprintf(env.Out, "This is not a git repository: conversations are kept, and `entire sessions` shows them.\n%s\n"+
		"Links from commits need git: run `git init`, and then `entire enable` again.\n\nReady.\n", kept)
	return err
}

// settingsTop returns the folder whose settings a command changes.
func settingsTop(ctx context.Context, env *cliui.Env) (string, error) {
	if top, err := workplace.FolderHere(ctx, env); err != nil || top != "" {
		return top, err
	}
	wp, err := workplace.OpenWithoutRecovery(ctx, env)
	if err != nil {
		return "", err
	}
	defer wp.Close()
	return wp.Repo.Top, nil
}

// uninstallFolder removes what enable made in a folder. The folder's conversations stay, and so
// does the key under which they are stored.
func uninstallFolder(ctx context.Context, env *cliui.Env, top string, force bool) error {
	if !force {
		fmt.Fprintln(env.Err, "This removes the agents' hooks, settings and logs. Conversations stay.")
		if err := env.Consent(ctx, "--force", "uninstall", "Uninstall Entire from this folder?", ""); err != nil {
			return err
		}
	}
	if was, err := workplace.DropSearchIndexes(ctx, env, top); err != nil {
		return fmt.Errorf("search index: %w", err)
	} else if was {
		fmt.Fprintln(env.Out, "✓ Removed search index")
	}
	list, broken := agentlib.Agents(ctx, env, workplace.FindPlace(top))
	for _, err := range broken {
		fmt.Fprintf(env.Err, "warning: left alone: hooks of a plug-in, if there are any: %s\n", cliui.ShownLine(err.Error()))
	}
	for _, ag := range list {
		edit, err := workplace.PlanAgentRemoval(top, ag)
		if err == nil && edit.Count > 0 {
			if err = edit.Apply(); err == nil {
				fmt.Fprintf(env.Out, "✓ Removed %s hooks\n", ag.Type())
			}
		}
		if err != nil {
			return fmt.Errorf("hooks of %s: %w", ag.Type(), err)
		}
	}
	found, err := readSettingsFolder(top)
	if err == nil {
		err = found.remove(top)
	}
	if err != nil {
		return err
	}
	if found = found.without("project-id"); len(found.theirs) > 0 {
		fmt.Fprintf(env.Err, "warning: left alone: %s\n", found.shownTheirs(top))
	}
	_, err = fmt.Fprintln(env.Out, "✓ Removed settings and logs; .entire/project-id stays, so that its conversations are found\nEntire CLI uninstalled successfully.")
	return err
}
