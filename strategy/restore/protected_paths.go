package restore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// KeepReason returns why a path is kept as it is, "" if the rewind may change it.
func KeepReason(s *sessionstate.Env, wt *git.Worktree, c git.Change, skipped map[string]string, ignored map[string]bool) (string, error) {
	if why, ok := skipped[c.Path]; ok {
		return why, nil
	}
	if c.OldMode == git.ModeGitlink || c.NewMode == git.ModeGitlink {
		return "submodule", nil
	}
	if err := git.PossiblePath(c.Path); err != nil {
		return err.Error(), nil // the worktree cannot have such a path
	}
	if nested, err := worktree.InsideNested(s, c.Path); nested || err != nil {
		return "inside a nested repository", err
	}
	// A path beyond a link is not at this place. The link itself is a path of its own.
	fi, err := wt.Lstat(c.Path)
	gone := worktree.IsAbsent(err) || errors.Is(err, git.ErrThroughLink)
	switch {
	case worktree.IsImpossibleName(err) || hasImpossibleName(s, c.Path):
		return "not a name that this file system can have", nil
	case err != nil && !gone:
		return "not readable", worktree.IgnoreDenied(err)
	case c.OldMode == 0 && err == nil && !fi.IsDir():
		return "ignored, and in no snapshot", nil
	case c.OldMode != 0 && gone:
		return "outside the sparse checkout", nil
	case c.NewMode == 0 && ignored[c.Path]:
		return "ignored by the state gone back to", nil
	}
	if holds, err := HoldsHooks(s, c.Path); holds || err != nil {
		return "holds the hooks", err
	}
	return "", nil
}

// hasImpossibleName reports whether the worktree's file system cannot have a name of the path. It also works
// if the parent folder does not exist yet.
func hasImpossibleName(s *sessionstate.Env, path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if len(name) <= safeNameBytes && utf8.ValidString(name) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(s.Repo.Top, name)); worktree.IsImpossibleName(err) {
			return true
		}
	}
	return false
}

// safeNameBytes is the length in bytes that a name may have on every file system.
const safeNameBytes = 128

// HoldsHooks reports whether path is an agent's settings file with our hooks in it. Without the
// hooks nothing more would be recorded.
func HoldsHooks(s *sessionstate.Env, path string) (bool, error) {
	for _, a := range agents.All() {
		if a.Profile().HookFile() != path {
			continue
		}
		data, err := durable.ReadWithin(s.Repo.Top, path, agent.MaxSettings)
		switch {
		case worktree.IsAbsent(err), errors.Is(err, durable.ErrNoFile), errors.Is(err, durable.ErrTooLong), errors.Is(err, durable.ErrLeadsOut), errors.Is(err, durable.ErrThroughLink):
			return false, nil // such a file has no hooks of ours
		case err != nil:
			return false, worktree.IgnoreDenied(err)
		}
		return a.Installed(data), nil
	}
	return false, nil
}

// FoldConflicts returns, by path, why a path is kept: another path that is written or removed has
// the same name on a file system that ignores case. There, a file that was only renamed from
// Readme.md to README.md is one file, and to remove the one name would remove the other.
func FoldConflicts(ctx context.Context, s *sessionstate.Env, changes []git.Change) map[string]string {
	paths, written := make([]string, len(changes)), map[string]bool{}
	for i, c := range changes {
		paths[i] = c.Path
		written[c.Path] = c.NewMode != 0
	}
	out := map[string]string{}
	pairs := slices.DeleteFunc(git.FoldConflicts(paths), func(p [2]string) bool { return !written[p[0]] && !written[p[1]] })
	if len(pairs) == 0 {
		return out
	}
	conf, err := s.Repo.Config(ctx, "core.ignorecase")
	if err == nil && conf["core.ignorecase"] != "true" {
		return out
	}
	for _, pair := range pairs {
		out[pair[0]] = "same name as " + pair[1] + " on this file system"
		out[pair[1]] = "same name as " + pair[0] + " on this file system"
	}
	return out
}
