package ownership

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"entire/internal/attribution"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
)

// markUnknownHooked marks as unknown a person's lines in a file that lost lines of an agent while git
// made the commit: a pre-commit hook rewrote it, and nothing shows how. Git records the committer's
// time before it runs that hook.
func markUnknownHooked(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, files map[string]attributedFile) {
	hooked := 0 // 0 until it is checked, then 1 or -1
	for path, f := range files {
		if !slices.ContainsFunc(f.lost, func(l lostLine) bool { return l.Owner.Class == attribution.Agent }) || !writtenSince(s, path, cm.Committer.When) {
			continue
		}
		if hooked == 0 {
			if hooked = -1; hasPreCommit(ctx, s) {
				hooked = 1
			}
		}
		if hooked < 0 {
			return
		}
		for i := range f.Lines {
			if l := &f.Lines[i]; l.Added && !l.Moved && l.Owner.Class == attribution.Person {
				l.Owner = unknownOwner
			}
		}
	}
}

// writtenSince reports whether a worktree file was written in that second or later.
func writtenSince(s *sessionstate.Env, path string, when time.Time) bool {
	fi, err := os.Lstat(filepath.Join(s.Repo.Top, filepath.FromSlash(path)))
	return err == nil && !fi.ModTime().Before(when.Truncate(time.Second))
}

func hasPreCommit(ctx context.Context, s *sessionstate.Env) bool {
	dir, _, err := s.Repo.HooksDir(ctx)
	if err != nil {
		return false
	}
	fi, err := os.Stat(filepath.Join(dir, "pre-commit"))
	return err == nil && fi.Mode().IsRegular()
}
