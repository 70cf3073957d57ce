package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"entire/agent"
	"entire/internal/config"
	"entire/internal/feed"
	"entire/internal/git"
	"entire/internal/project"
	"entire/session"
)

// This file has the commands for a folder outside git. Entire keeps its conversations, and its
// files as folder_files.go describes.

// inRepository is the error for --no-git in a git repository.
var inRepository = failf("leave out --no-git", "this is a git repository")

// needGit is the hint for what a folder outside git cannot have.
const needGit = "`git init` makes this a repository, and `entire enable` then continues from here"

// folderHere returns the folder outside git that contains the current directory and was set up;
// "" in a repository, or if nothing was set up.
func (w *world) folderHere(ctx context.Context) (string, error) {
	dir, err := w.getwd()
	if err != nil {
		return "", fmt.Errorf("find the current directory: %w", err)
	}
	p := findPlace(dir)
	if !p.folder {
		return "", nil
	}
	if outside, err := w.outsideGit(ctx, dir); err != nil || !outside {
		return "", err
	}
	return p.top, nil
}

func (w *world) outsideGit(ctx context.Context, dir string) (bool, error) {
	repo, err := git.Discover(ctx, dir, w.environ)
	if errors.Is(err, git.ErrNotRepository) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, repo.Close()
}

// folderToEnable returns the folder outside git that enable is to set up; "" in a repository, or
// without --no-git.
func (w *world) folderToEnable(ctx context.Context, o enableOptions) (string, error) {
	top, err := w.folderHere(ctx)
	if err != nil || top != "" || !o.noGit {
		return top, err
	}
	dir, err := w.getwd()
	if err != nil {
		return "", fmt.Errorf("find the current directory: %w", err)
	}
	outside, err := w.outsideGit(ctx, dir)
	if err == nil && !outside {
		err = inRepository
	}
	return dir, err
}

// enableFolder does the part of enable that needs no git.
func (w *world) enableFolder(ctx context.Context, top string, o enableOptions) error {
	ag, err := w.checkEnable(o)
	if err != nil {
		return err
	}
	if o.strategyGiven || o.skipPush || o.pushTo != "" || o.localDevGiven {
		return failf(needGit, "--strategy, --skip-push-sessions, --push-to and --local-dev need a git repository")
	}
	settings, err := config.Load(top)
	if err != nil {
		return failf("correct the file or move it away", "%w", err)
	}
	edit, err := planAgentHooks(top, ag, agent.InstallOptions{Force: o.force, Tools: toolHooks(settings.Checkpoints())})
	if err != nil {
		return failf("correct the file or move it away", "%w", err)
	}
	if err := edit.apply(); err != nil {
		return err
	}
	if err := config.EnsureGitignore(top); err != nil {
		return err
	}
	target := config.Project
	if o.local {
		target = config.Local
	}
	if err := w.writeSettings(top, target, o); err != nil {
		return err
	}
	if _, err := project.Key(ctx, top, w.environ); err != nil {
		return err
	}
	if ag.SettingsPath() == "" {
		fmt.Fprint(w.out, howToCall)
	} else {
		fmt.Fprintf(w.out, "✓ Hooks of %s installed\n", ag.Type())
	}
	fmt.Fprintf(w.out, "✓ Folder configured (%s)\n\n", settingsName(target))
	kept := "Files are kept too, at each turn: `entire rewind` and `entire undo` go back."
	wp, err := w.openFolder(ctx, top, true)
	switch {
	case errors.Is(err, errFolderTooLarge):
		kept = "Files are not kept: the folder has too many, or reading them takes too long. List in a .gitignore\nwhat need not be kept, and run this again."
	case err != nil:
		return err
	default:
		wp.close()
	}
	_, err = fmt.Fprintf(w.out, "This is not a git repository: conversations are kept, and `entire sessions` shows them.\n%s\n"+
		"Links from commits need git: run `git init`, and then `entire enable` again.\n\nReady.\n", kept)
	return err
}

// settingsTop returns the folder whose settings a command changes.
func (w *world) settingsTop(ctx context.Context) (string, error) {
	if top, err := w.folderHere(ctx); err != nil || top != "" {
		return top, err
	}
	wp, err := w.openQuietly(ctx)
	if err != nil {
		return "", err
	}
	defer wp.close()
	return wp.repo.Top, nil
}

// uninstallFolder removes what enable made in a folder. The folder's conversations stay, and so
// does the key under which they are stored.
func (w *world) uninstallFolder(ctx context.Context, top string, force bool) error {
	if !force {
		fmt.Fprintln(w.err, "This removes the agents' hooks, settings and logs. Conversations stay.")
		if err := w.consent(ctx, "uninstall", "Uninstall Entire from this folder?", ""); err != nil {
			return err
		}
	}
	if was, err := w.dropIndexes(ctx, top); err != nil {
		return fmt.Errorf("search index: %w", err)
	} else if was {
		fmt.Fprintln(w.out, "✓ Removed search index")
	}
	for _, ag := range agent.All() {
		edit, err := planAgentEdit(top, ag, ag.Uninstall)
		if err == nil && edit.count > 0 {
			if err = edit.apply(); err == nil {
				fmt.Fprintf(w.out, "✓ Removed %s hooks\n", ag.Type())
			}
		}
		if err != nil {
			return fmt.Errorf("hooks of %s: %w", ag.Type(), err)
		}
	}
	entries, err := os.ReadDir(filepath.Join(top, ".entire"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == "project-id" {
			continue
		}
		if err := os.RemoveAll(filepath.Join(top, ".entire", e.Name())); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(w.out, "✓ Removed settings and logs; .entire/project-id stays, so that its conversations are found\nEntire CLI uninstalled successfully.")
	return err
}

// readFolder is readStatus for a folder outside git.
func (v *statusView) readFolder(ctx context.Context, w *world, top string) error {
	v.Folder, v.SetUp = top, true
	settings, err := config.Load(top)
	if err := v.readSettings(top, err); err != nil {
		return err
	}
	v.Enabled, v.Settings = settings.Enabled, eachSettings(top)
	if !v.Enabled {
		return nil
	}
	for _, ag := range installedAgents(top) {
		v.Agents = append(v.Agents, string(ag.Type()))
	}
	if len(v.Agents) == 0 {
		v.problem("agent hooks", "", "no agent's hooks are installed here; only an agent that calls them itself is recorded", "entire enable")
	}
	if !settings.SessionStore() {
		v.problem("session store", "", "switched off by strategy_options.session_store; outside git nothing is kept without it", "")
		return nil
	}
	if why := w.folderSkipped(ctx, top); why != "" {
		v.problem("files", "", "they are not kept: "+why, "list in a .gitignore what need not be kept, and run `entire enable`")
	}
	return v.readConversations(ctx, w, top)
}

// openFor is how long after its last event a conversation counts as active if nothing ended it.
const openFor = 24 * time.Hour

// readConversations lists the folder's conversations that have not ended.
func (v *statusView) readConversations(ctx context.Context, w *world, top string) error {
	data := project.DataDir(w.environ, w.home(), runtime.GOOS)
	if data == "" {
		v.problem("session store", "", "neither HOME nor XDG_DATA_HOME is set: conversations are not kept", "")
		return nil
	}
	id, err := project.Find(ctx, top, w.environ)
	if err != nil {
		return err
	}
	store := session.OpenStore(session.BaseIn(id.Dir(data)))
	defer store.Close()
	v.readStore(ctx, w, id)
	list, err := store.ListContext(ctx)
	if err != nil {
		return err
	}
	for _, m := range list {
		fed := feed.LastFed(store.Dir(m.ID))
		if m.EndedAt != nil || w.now().Sub(fed) > openFor {
			continue
		}
		phase := session.PhaseIdle
		if feed.InTurn(store.Dir(m.ID)) {
			phase = session.PhaseActive
		}
		v.Sessions = append(v.Sessions, activeView{ID: m.ID, Agent: string(agentOr(m.AgentType)), Worktree: m.CWD, Here: true,
			Phase: phase, Started: m.CreatedAt, LastInteraction: &fed, Prompt: m.Title, Files: []string{}})
	}
	return nil
}
