package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"entire/agent"
	"entire/checkpoint"
	"entire/hooks"
	"entire/internal/git"
	"entire/internal/term"
)

// belongings are what there is of ours in a repository, the metadata branch
// aside.
type belongings struct {
	agents   []agentEdit
	names    []string // of those agents
	hooks    hooks.Target
	hasHooks bool
	dirs     []string // absolute
	sessions int
	refs     []git.Ref
}

func (b belongings) none() bool {
	return len(b.agents) == 0 && !b.hasHooks && len(b.dirs) == 0 && len(b.refs) == 0
}

func (w *world) uninstall(ctx context.Context, force bool) error {
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
		if err != nil {
			return b, err
		}
		if edit.count > 0 {
			b.agents, b.names = append(b.agents, edit), append(b.names, string(ag.Type()))
		}
	}
	if b.hooks, err = hooks.Locate(ctx, wp.repo); err != nil {
		return b, err
	}
	state := hooks.Installed(b.hooks)
	b.hasHooks = state == hooks.All || state == hooks.Partial
	for _, dir := range []string{
		filepath.Join(wp.repo.CommonDir, "entire-sessions"),
		filepath.Join(wp.repo.CommonDir, "entire"),
		filepath.Join(wp.repo.GitDir, "entire"),
		filepath.Join(wp.repo.Top, ".entire"),
	} {
		if fileExists(dir) && !slices.Contains(b.dirs, dir) {
			b.dirs = append(b.dirs, dir)
		}
	}
	if states, _, err := wp.store.List(ctx); err == nil {
		b.sessions = len(states)
	}
	b.refs, err = temporaryRefs(ctx, wp.repo)
	return b, err
}

// temporaryRefs are the shadow branches and what we keep outside refs/heads. A
// branch is ours only if its tip says so: a name is no proof.
func temporaryRefs(ctx context.Context, repo *git.Repo) ([]git.Ref, error) {
	refs, err := repo.Refs(ctx, "refs/entire/")
	if err != nil {
		return nil, err
	}
	branches, err := repo.Refs(ctx, "refs/heads/"+checkpoint.ShadowBranchPrefix)
	if err != nil {
		return nil, err
	}
	rd := repo.Reader(ctx)
	for _, ref := range branches {
		name := ref.Name[len("refs/heads/"):]
		if _, _, ok := checkpoint.ParseShadowBranchName(name); !ok {
			continue
		}
		if tip, err := rd.Commit(ref.OID); err == nil && checkpoint.ParseStep(tip.Message).Kind != "" {
			refs = append(refs, ref)
		}
	}
	return refs, nil
}

func (w *world) confirmUninstall(ctx context.Context, b belongings) error {
	fmt.Fprintln(w.err, "This takes out:")
	for _, name := range b.names {
		fmt.Fprintf(w.err, "  the hooks of %s\n", name)
	}
	if b.hasHooks {
		fmt.Fprintln(w.err, "  git's hooks (those that were there before are put back)")
	}
	if b.sessions > 0 || len(b.refs) > 0 {
		fmt.Fprintf(w.err, "  %s, %s of steps that are in no commit yet\n", count(b.sessions, "session"), count(len(b.refs), "ref"))
	}
	fmt.Fprintln(w.err, "  settings and logs")
	yes, err := w.terminal().Confirm(ctx, "Uninstall Entire from this repository?", "")
	switch {
	case errors.Is(err, term.ErrNotInteractive):
		if _, pretend := w.testTTY(); pretend {
			return nil
		}
		return failf("add --force to do it without being asked", "uninstall has to be confirmed on a terminal")
	case err != nil:
		return err
	case !yes:
		fmt.Fprintln(w.err, "Nothing was changed.")
		return errTold
	}
	return nil
}

// takeOut goes on after what cannot be taken out, and says so.
func (w *world) takeOut(ctx context.Context, wp *workplace, b belongings) error {
	wp.closeLog() // it lies in a folder that goes
	failed := false
	step := func(what string, err error) {
		if err != nil {
			failed = true
			fmt.Fprintf(w.err, "warning: %s: %v\n", what, err)
			return
		}
		fmt.Fprintf(w.out, "✓ Removed %s\n", what)
	}
	for i, edit := range b.agents {
		step(b.names[i]+" hooks", edit.apply())
	}
	if b.hasHooks {
		report, err := hooks.Uninstall(ctx, b.hooks)
		w.tell(report)
		step("git hooks", err)
	}
	if len(b.refs) > 0 {
		step(count(len(b.refs), "temporary ref"), deleteRefs(ctx, wp.repo, b.refs))
	}
	for _, dir := range b.dirs {
		step(shownPath(wp.repo.Top, dir), os.RemoveAll(dir))
	}
	// Taking the hooks out may have left its lock there.
	os.RemoveAll(filepath.Join(wp.repo.CommonDir, "entire"))
	if failed {
		return failf("correct that and run it again", "not everything could be taken out")
	}
	_, err := fmt.Fprintln(w.out, "Entire CLI uninstalled successfully.")
	return err
}

func deleteRefs(ctx context.Context, repo *git.Repo, refs []git.Ref) error {
	updates := make([]git.RefUpdate, len(refs))
	for i, ref := range refs {
		updates[i] = git.RefUpdate{Name: ref.Name, Old: ref.OID}
	}
	return repo.UpdateRefs(ctx, updates)
}

// shownPath is path as it is seen from the worktree's top.
func shownPath(top, path string) string {
	if rel, err := filepath.Rel(top, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}
