package strategy

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"entire/agent"
	"entire/internal/git"
)

// protect sorts the differences into what will be done and what is kept.
func (s *ManualCommitStrategy) protect(ctx context.Context, plan *RewindPlan, changes []git.Change) error {
	var removals []string
	for _, c := range changes {
		if c.NewMode == 0 {
			removals = append(removals, c.Path)
		}
	}
	ignored, err := s.repo.IgnoredIn(ctx, plan.after, removals)
	if err != nil {
		return err
	}
	s.allowIncluded(plan, ignored)
	point, err := s.knownGaps(ctx, plan)
	if err != nil {
		return err
	}
	plan.point = point
	s.tellUncaptured(plan, point)
	skipped := map[string]string{}
	for _, k := range plan.now.skipped {
		skipped[k.Path] = k.Why
	}
	fold := s.foldConflicts(ctx, changes)
	wt, err := s.repo.OpenWorktree()
	if err != nil {
		return err
	}
	defer wt.Close()
	for _, c := range changes {
		why := s.whyKept(wt, c, skipped, ignored)
		if why == "" {
			why = fold[c.Path]
		}
		if why == "" {
			why = point.whyUncertain(c)
		}
		if why != "" {
			plan.Kept = append(plan.Kept, KeptFile{c.Path, why})
			continue
		}
		plan.Changes = append(plan.Changes, PlannedChange{Path: c.Path, Action: actionOf(c), change: c})
	}
	s.keepBlocked(wt, plan)
	return s.keepUnsaved(ctx, wt, plan)
}

// whyKept names the protection that applies to a path, "" when none does.
func (s *ManualCommitStrategy) whyKept(wt *git.Worktree, c git.Change, skipped map[string]string, ignored map[string]bool) string {
	if why, ok := skipped[c.Path]; ok {
		return why
	}
	if c.OldMode == git.ModeGitlink || c.NewMode == git.ModeGitlink {
		return "submodule"
	}
	if s.insideNested(c.Path) {
		return "inside a nested repository"
	}
	// What lies beyond a link is not at this path; the link itself is a path of
	// its own.
	fi, err := wt.Lstat(c.Path)
	gone := errors.Is(err, fs.ErrNotExist) || errors.Is(err, git.ErrThroughLink) || isNotDir(err)
	switch {
	case c.OldMode == 0 && err == nil && !fi.IsDir():
		return "ignored, and in no snapshot"
	case c.OldMode != 0 && gone:
		return "outside the sparse checkout"
	case c.NewMode == 0 && ignored[c.Path]:
		return "ignored by the state gone back to"
	case s.holdsHooks(c.Path):
		return "holds the hooks"
	}
	return ""
}

// insideNested reports whether a folder above path is a repository of its own.
func (s *ManualCommitStrategy) insideNested(path string) bool {
	for dir := filepath.Dir(filepath.FromSlash(path)); dir != "."; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(s.repo.Top, dir, ".git")); err == nil {
			return true
		}
	}
	return false
}

// holdsHooks reports the agents' settings while our hooks are in them: without
// those nothing would be saved any more.
func (s *ManualCommitStrategy) holdsHooks(path string) bool {
	for _, a := range agent.All() {
		if a.SettingsPath() == path {
			data, err := os.ReadFile(filepath.Join(s.repo.Top, filepath.FromSlash(path)))
			return err == nil && a.Installed(data)
		}
	}
	return false
}

// foldConflicts are the paths that a file system without case would mix up.
func (s *ManualCommitStrategy) foldConflicts(ctx context.Context, changes []git.Change) map[string]string {
	var written []string
	for _, c := range changes {
		if c.NewMode != 0 {
			written = append(written, c.Path)
		}
	}
	out := map[string]string{}
	pairs := git.FoldConflicts(written)
	if len(pairs) == 0 {
		return out
	}
	conf, err := s.repo.Config(ctx, "core.ignorecase")
	if err == nil && conf["core.ignorecase"] != "true" {
		return out
	}
	for _, pair := range pairs {
		out[pair[0]] = "same name as " + pair[1] + " on this file system"
		out[pair[1]] = "same name as " + pair[0] + " on this file system"
	}
	return out
}
