package setupcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"entire/agent"
	"entire/agent/agents"
	"entire/hooks"
	"entire/internal/bodies"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/strategy/maintain"
)

// belongings are Entire's parts of a repository, except the metadata branch.
type belongings struct {
	agents   []agent.Agent  // those with hooks
	asking   []string       // what lets agents ask this program, in words
	hooks    []hooks.Target // places with Entire's git hooks
	dirs     []string       // absolute
	settings settingsFolder // .entire
	sessions int
	refs     []git.Ref

	// left names what stays, in words.
	left []string
}

func (b belongings) none() bool {
	return len(b.agents) == 0 && len(b.asking) == 0 && len(b.hooks) == 0 && len(b.dirs) == 0 && len(b.settings.ours) == 0 && len(b.refs) == 0
}

func runUninstall(ctx context.Context, env *cliui.Env, force bool) error {
	if top, err := workplace.FolderHere(ctx, env); err != nil {
		return err
	} else if top != "" {
		return uninstallFolder(ctx, env, top, force)
	}
	wp, err := workplace.OpenWithoutRecovery(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	found, err := takeStock(ctx, env, wp)
	if err != nil {
		return err
	}
	if found.none() {
		_, err := fmt.Fprintln(env.Out, "Entire is not installed in this repository.")
		return err
	}
	if !force {
		if err := confirmUninstall(ctx, env, found); err != nil {
			return err
		}
	}
	return takeOut(ctx, env, wp, found)
}

func takeStock(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) (b belongings, err error) {
	list, broken := agentlib.Agents(ctx, env, wp.Place)
	for _, err := range broken {
		b.left = append(b.left, fmt.Sprintf("hooks of a plug-in, if there are any: %v", err))
	}
	for _, ag := range list {
		edit, err := workplace.PlanAgentRemoval(wp.Repo.Top, ag)
		switch {
		case err != nil: // remove everything else anyway
			b.left = append(b.left, fmt.Sprintf("hooks of %s, if there are any: %v", ag.Type(), err))
		case edit.Count > 0:
			b.agents = append(b.agents, ag)
		}
	}
	for _, ag := range agents.All() {
		b.asking = append(b.asking, agentlib.Has(wp.Repo.Top, ag)...)
	}
	target, err := hooks.Locate(ctx, wp.Repo)
	if err != nil {
		return b, err
	}
	for _, place := range hooks.Places(target) {
		if hooks.Present(place) {
			b.hooks = append(b.hooks, place)
		}
	}
	b.dirs = ownDirs(wp)
	if b.settings, err = readSettingsFolder(wp.Repo.Top); err != nil {
		return b, err
	}
	if states, _, err := wp.Store.List(ctx); err == nil {
		b.sessions = len(states)
	}
	refs, foreign, err := maintain.TemporaryRefs(ctx, wp.Engine)
	for _, ref := range foreign {
		b.left = append(b.left, ref.Path+": "+ref.Why)
	}
	b.refs = refs
	return b, err
}

// ownDirs returns the folders in the git directories of all worktrees that hold only Entire's files.
func ownDirs(wp *workplace.Workplace) []string {
	common := wp.Repo.CommonDir
	candidates := []string{filepath.Join(common, "entire-sessions"), filepath.Join(common, "entire"), filepath.Join(wp.Repo.GitDir, "entire")}
	if entries, err := os.ReadDir(filepath.Join(common, "worktrees")); err == nil {
		for _, e := range entries {
			candidates = append(candidates, filepath.Join(common, "worktrees", e.Name(), "entire"))
		}
	}
	var dirs []string
	for _, dir := range candidates {
		if workplace.FileExists(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func confirmUninstall(ctx context.Context, env *cliui.Env, b belongings) error {
	fmt.Fprintln(env.Err, "This removes:")
	for _, ag := range b.agents {
		fmt.Fprintf(env.Err, "  the hooks of %s\n", ag.Type())
	}
	for _, words := range b.asking {
		fmt.Fprintf(env.Err, "  the %s\n", words)
	}
	if len(b.hooks) > 0 {
		fmt.Fprintln(env.Err, "  git's hooks (earlier ones are restored)")
	}
	if b.sessions > 0 || len(b.refs) > 0 {
		fmt.Fprintf(env.Err, "  %s, %s of steps that are in no commit yet\n", cliui.Count(b.sessions, "session"), cliui.Count(len(b.refs), "ref"))
	}
	fmt.Fprintln(env.Err, "  settings and logs")
	return env.Consent(ctx, "--force", "uninstall", "Uninstall Entire from this repository?", "")
}

// unsentBodies returns how many parts of conversations are here alone, while the checkpoints that need them stay.
func unsentBodies(common string) (int, error) {
	waiting, err := bodies.New(common, "").Waiting()
	return len(waiting), err
}

// removeExcept removes a folder. If keep is a folder below it, that folder and its parents stay; "" keeps none.
func removeExcept(dir, keep string) error {
	rel, err := filepath.Rel(dir, keep)
	if keep == "" || err != nil || !filepath.IsLocal(rel) {
		return os.RemoveAll(dir)
	}
	if rel == "." {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		err = errors.Join(err, removeExcept(filepath.Join(dir, e.Name()), keep))
	}
	return err
}

// takeOut removes everything. It continues after an error, and reports it.
func takeOut(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, b belongings) error {
	wp.CloseLog() // the log's folder is removed below
	failed := false
	step := func(what string, err error) {
		if err != nil {
			failed = true
			fmt.Fprintf(env.Err, "warning: %s: %v\n", what, err)
			return
		}
		fmt.Fprintf(env.Out, "✓ Removed %s\n", what)
	}
	// The index's name is in a folder that is removed below.
	if was, err := workplace.DropSearchIndexes(ctx, env, wp.Repo.Top); was || err != nil {
		step("search index", err)
	}
	takeOutOfAgents(env, wp.Repo.Top, b.agents, step)
	for _, place := range b.hooks {
		report, err := hooks.Uninstall(ctx, place)
		workplace.TellHooks(env, report)
		step(inPlace("git hooks", wp.Repo.Top, place, len(b.hooks)), err)
	}
	if len(b.refs) > 0 {
		step(cliui.Count(len(b.refs), "temporary ref"), deleteRefs(ctx, wp.Repo, b.refs))
	}
	unsent, err := unsentBodies(wp.Repo.CommonDir)
	if err != nil {
		step("large parts of conversations", err)
	}
	keep := ""
	if unsent > 0 || err != nil {
		keep = bodies.DirOf(wp.Repo.CommonDir)
	}
	for _, dir := range b.dirs {
		step(cliui.ShownPath(wp.Repo.Top, dir), removeExcept(dir, keep))
	}
	if len(b.settings.ours) > 0 {
		what := ".entire"
		if len(b.settings.theirs) > 0 {
			what = "settings and logs in .entire"
		}
		step(what, b.settings.remove(wp.Repo.Top))
	}
	tellLeft(env, wp.Repo.Top, b, unsent, keep)
	os.Remove(filepath.Join(wp.Repo.CommonDir, "refs", "entire")) // git leaves the folder; fails when not empty
	// Removing the hooks may have left a lock there.
	removeExcept(filepath.Join(wp.Repo.CommonDir, "entire"), keep)
	if failed {
		return cliui.Failf("correct that and run it again", "not everything could be removed")
	}
	_, err = fmt.Fprintln(env.Out, "Entire CLI uninstalled successfully.")
	return err
}

// takeOutOfAgents removes what agents' settings have of ours, and tells step of it: MCP servers first, because hooks may be
// in the same file.
func takeOutOfAgents(env *cliui.Env, top string, hooked []agent.Agent, step func(what string, err error)) {
	for _, ag := range agents.All() {
		removed, err := agentlib.Without(top, ag)
		for _, what := range removed {
			step(what+" of "+string(ag.Type()), nil)
		}
		if err != nil {
			fmt.Fprintf(env.Err, "warning: left alone: %s\n", cliui.OneLine(err.Error()))
		}
	}
	for _, ag := range hooked {
		edit, err := workplace.PlanAgentRemoval(top, ag)
		if err == nil {
			err = edit.Apply()
		}
		step(string(ag.Type())+" hooks", err)
	}
}

// tellLeft warns of what stays: the large parts in the folder keep that no bucket has, and what is not ours.
func tellLeft(env *cliui.Env, top string, b belongings, unsent int, keep string) {
	if unsent > 0 {
		fmt.Fprintf(env.Err, "warning: left alone: %s, of checkpoints that stay, which the bucket does not have: %s\nhint: `entire enable` and `entire share push` send what waits\n",
			cliui.Count(unsent, "large part")+" of conversations", cliui.ShownPath(top, keep))
	}
	if len(b.settings.theirs) > 0 {
		fmt.Fprintf(env.Err, "warning: left alone: %s\n", b.settings.shownTheirs(top))
	}
	for _, left := range b.left {
		fmt.Fprintf(env.Err, "warning: left alone: %s\n", cliui.OneLine(left))
	}
}

// inPlace adds the folder to a hook's description if there are several places.
func inPlace(what, top string, place hooks.Target, places int) string {
	if places == 1 {
		return what
	}
	return what + " in " + cliui.ShownPath(top, place.Dir)
}

func deleteRefs(ctx context.Context, repo *git.Repo, refs []git.Ref) error {
	updates := make([]git.RefUpdate, len(refs))
	for i, ref := range refs {
		updates[i] = git.RefUpdate{Name: ref.Name, Old: ref.OID}
	}
	return repo.UpdateRefs(ctx, updates)
}
