package strategy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"entire/agent"
	"entire/internal/durable"
	"entire/internal/git"
)

// protect sorts the differences into changes that the rewind makes and paths that it keeps.
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
		why, err := s.whyKept(wt, c, skipped, ignored)
		if err != nil {
			return err
		}
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
	if err := s.keepBlocked(wt, plan); err != nil {
		return err
	}
	return s.keepUnsaved(ctx, wt, plan)
}

// whyKept returns why a path is kept as it is, "" if the rewind may change it.
func (s *ManualCommitStrategy) whyKept(wt *git.Worktree, c git.Change, skipped map[string]string, ignored map[string]bool) (string, error) {
	if why, ok := skipped[c.Path]; ok {
		return why, nil
	}
	if c.OldMode == git.ModeGitlink || c.NewMode == git.ModeGitlink {
		return "submodule", nil
	}
	if err := git.PossiblePath(c.Path); err != nil {
		return err.Error(), nil // the worktree cannot have such a path
	}
	if nested, err := s.insideNested(c.Path); nested || err != nil {
		return "inside a nested repository", err
	}
	// A path beyond a link is not at this place. The link itself is a path of its own.
	fi, err := wt.Lstat(c.Path)
	gone := absent(err) || errors.Is(err, git.ErrThroughLink)
	switch {
	case isNoName(err) || s.noName(c.Path):
		return "not a name that this file system can have", nil
	case err != nil && !gone:
		return "not readable", unlessDenied(err)
	case c.OldMode == 0 && err == nil && !fi.IsDir():
		return "ignored, and in no snapshot", nil
	case c.OldMode != 0 && gone:
		return "outside the sparse checkout", nil
	case c.NewMode == 0 && ignored[c.Path]:
		return "ignored by the state gone back to", nil
	}
	if holds, err := s.holdsHooks(c.Path); holds || err != nil {
		return "holds the hooks", err
	}
	return "", nil
}

// noName reports whether the worktree's file system cannot have a name of the path. It also works
// if the parent folder does not exist yet.
func (s *ManualCommitStrategy) noName(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if len(name) <= plainName && utf8.ValidString(name) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(s.repo.Top, name)); isNoName(err) {
			return true
		}
	}
	return false
}

// plainName is the length in bytes that a name may have on every file system.
const plainName = 128

// absent reports whether err proves that nothing is at a path; no other error does.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || isNotDir(err) }

// unlessDenied returns the error that ends a plan when the disk cannot tell what is at a path. It
// returns nil if permission is denied: such a path is only left alone, because the error would not
// go away by itself.
func unlessDenied(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return fmt.Errorf("read the worktree: %w: nothing was changed", err)
}

// insideNested reports whether a folder above path is a repository of its own.
func (s *ManualCommitStrategy) insideNested(path string) (bool, error) {
	for dir := filepath.Dir(filepath.FromSlash(path)); dir != "."; dir = filepath.Dir(dir) {
		_, err := os.Lstat(filepath.Join(s.repo.Top, dir, ".git"))
		switch {
		case err == nil:
			return true, nil
		case !absent(err) && !isNoName(err) && unlessDenied(err) != nil:
			return false, unlessDenied(err)
		}
	}
	return false, nil
}

// holdsHooks reports whether path is an agent's settings file with our hooks in it. Without the
// hooks nothing more would be recorded.
func (s *ManualCommitStrategy) holdsHooks(path string) (bool, error) {
	for _, a := range agent.All() {
		if a.SettingsPath() != path {
			continue
		}
		data, err := durable.ReadWithin(s.repo.Top, path, agent.MaxSettings)
		switch {
		case absent(err), errors.Is(err, durable.ErrNoFile), errors.Is(err, durable.ErrTooLong), errors.Is(err, durable.ErrLeadsOut), errors.Is(err, durable.ErrThroughLink):
			return false, nil // such a file has no hooks of ours
		case err != nil:
			return false, unlessDenied(err)
		}
		return a.Installed(data), nil
	}
	return false, nil
}

// foldConflicts returns, by path, why a path is kept: another written path has the same name on a
// file system that ignores case.
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
