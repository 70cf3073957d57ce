package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"entire/agent"
	"entire/hooks"
	"entire/internal/git"
	"entire/strategy/maintain"
)

// belongings are Entire's parts of a repository, except the metadata branch.
type belongings struct {
	agents   []agentEdit
	names    []string       // the agents' names
	hooks    []hooks.Target // places with Entire's git hooks
	dirs     []string       // absolute
	sessions int
	refs     []git.Ref

	// left names what stays, in words.
	left []string
}

func (b belongings) none() bool {
	return len(b.agents) == 0 && len(b.hooks) == 0 && len(b.dirs) == 0 && len(b.refs) == 0
}

func (w *world) uninstall(ctx context.Context, force bool) error {
	if top, err := w.folderHere(ctx); err != nil {
		return err
	} else if top != "" {
		return w.uninstallFolder(ctx, top, force)
	}
	wp, err := w.openQuietly(ctx)
	if err != nil {
		return err
	}
	defer wp.close()
	found, err := takeStock(ctx, wp)
	if err != nil {
		return err
	}
	if found.none() {
		_, err := fmt.Fprintln(w.out, "Entire is not installed in this repository.")
		return err
	}
	if !force {
		if err := w.confirmUninstall(ctx, found); err != nil {
			return err
		}
	}
	return w.takeOut(ctx, wp, found)
}

func takeStock(ctx context.Context, wp *workplace) (b belongings, err error) {
	for _, ag := range agent.All() {
		edit, err := planAgentEdit(wp.repo.Top, ag, ag.Uninstall)
		switch {
		case err != nil: // remove everything else anyway
			b.left = append(b.left, fmt.Sprintf("hooks of %s, if there are any: %v", ag.Type(), err))
		case edit.count > 0:
			b.agents, b.names = append(b.agents, edit), append(b.names, string(ag.Type()))
		}
	}
	target, err := hooks.Locate(ctx, wp.repo)
	if err != nil {
		return b, err
	}
	for _, place := range hooks.Places(target) {
		if hooks.Present(place) {
			b.hooks = append(b.hooks, place)
		}
	}
	b.dirs = ownDirs(wp)
	if states, _, err := wp.store.List(ctx); err == nil {
		b.sessions = len(states)
	}
	refs, foreign, err := maintain.TemporaryRefs(ctx, wp.engine)
	for _, ref := range foreign {
		b.left = append(b.left, ref.Path+": "+ref.Why)
	}
	b.refs = refs
	return b, err
}

// ownDirs returns the folders that hold only Entire's files, also those in the git directories of
// all worktrees.
func ownDirs(wp *workplace) []string {
	common := wp.repo.CommonDir
	candidates := []string{filepath.Join(common, "entire-sessions"), filepath.Join(common, "entire"), filepath.Join(wp.repo.GitDir, "entire")}
	if entries, err := os.ReadDir(filepath.Join(common, "worktrees")); err == nil {
		for _, e := range entries {
			candidates = append(candidates, filepath.Join(common, "worktrees", e.Name(), "entire"))
		}
	}
	var dirs []string
	for _, dir := range append(candidates, filepath.Join(wp.repo.Top, ".entire")) {
		if fileExists(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func (w *world) confirmUninstall(ctx context.Context, b belongings) error {
	fmt.Fprintln(w.err, "This removes:")
	for _, name := range b.names {
		fmt.Fprintf(w.err, "  the hooks of %s\n", name)
	}
	if len(b.hooks) > 0 {
		fmt.Fprintln(w.err, "  git's hooks (earlier ones are restored)")
	}
	if b.sessions > 0 || len(b.refs) > 0 {
		fmt.Fprintf(w.err, "  %s, %s of steps that are in no commit yet\n", count(b.sessions, "session"), count(len(b.refs), "ref"))
	}
	fmt.Fprintln(w.err, "  settings and logs")
	return w.consent(ctx, "uninstall", "Uninstall Entire from this repository?", "")
}

// takeOut removes everything. It continues after an error, and reports it.
func (w *world) takeOut(ctx context.Context, wp *workplace, b belongings) error {
	wp.closeLog() // the log's folder is removed below
	failed := false
	step := func(what string, err error) {
		if err != nil {
			failed = true
			fmt.Fprintf(w.err, "warning: %s: %v\n", what, err)
			return
		}
		fmt.Fprintf(w.out, "✓ Removed %s\n", what)
	}
	// The index's name is in a folder that is removed below.
	if was, err := w.dropIndexes(ctx, wp.repo.Top); was || err != nil {
		step("search index", err)
	}
	for i, edit := range b.agents {
		step(b.names[i]+" hooks", edit.apply())
	}
	for _, place := range b.hooks {
		report, err := hooks.Uninstall(ctx, place)
		w.tell(report)
		step(inPlace("git hooks", wp.repo.Top, place, len(b.hooks)), err)
	}
	if len(b.refs) > 0 {
		step(count(len(b.refs), "temporary ref"), deleteRefs(ctx, wp.repo, b.refs))
	}
	for _, dir := range b.dirs {
		step(shownPath(wp.repo.Top, dir), os.RemoveAll(dir))
	}
	for _, left := range b.left {
		fmt.Fprintf(w.err, "warning: left alone: %s\n", oneLine(left))
	}
	os.Remove(filepath.Join(wp.repo.CommonDir, "refs", "entire")) // git leaves the folder; fails when not empty
	// Removing the hooks may have left a lock there.
	os.RemoveAll(filepath.Join(wp.repo.CommonDir, "entire"))
	if failed {
		return failf("correct that and run it again", "not everything could be removed")
	}
	_, err := fmt.Fprintln(w.out, "Entire CLI uninstalled successfully.")
	return err
}

// inPlace adds the folder to a hook's description if there are several places.
func inPlace(what, top string, place hooks.Target, places int) string {
	if places == 1 {
		return what
	}
	return what + " in " + shownPath(top, place.Dir)
}

func deleteRefs(ctx context.Context, repo *git.Repo, refs []git.Ref) error {
	updates := make([]git.RefUpdate, len(refs))
	for i, ref := range refs {
		updates[i] = git.RefUpdate{Name: ref.Name, Old: ref.OID}
	}
	return repo.UpdateRefs(ctx, updates)
}

// shownPath returns path relative to the worktree's top, if it is below it.
func shownPath(top, path string) string {
	if rel, err := filepath.Rel(top, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}
