package evidence

import (
	"context"
	"slices"
	"strings"

	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
)

// NewestStash returns the newest stash, the zero OID if there is none.
func NewestStash(ctx context.Context, s *sessionstate.Env) git.OID {
	if log := stashLog(ctx, s); len(log) > 0 {
		return log[len(log)-1].New
	}
	return git.OID{}
}

// IsStashed reports whether a stash is still among the newest stashes.
func IsStashed(ctx context.Context, s *sessionstate.Env, stash git.OID) bool {
	return stash.IsZero() || slices.ContainsFunc(stashLog(ctx, s), func(e git.ReflogEntry) bool { return e.New == stash })
}

// StashesSince returns the stashes of a branch ("" if HEAD is detached) that were made after the stash since, zero for
// none, oldest first, and the newest stash of all. All worktrees share the stashes, and a branch is checked out in one
// of them.
func StashesSince(ctx context.Context, s *sessionstate.Env, since git.OID, branch string) (made []git.Commit, newest git.OID) {
	log := stashLog(ctx, s)
	if len(log) == 0 {
		return nil, git.OID{}
	}
	if newest = log[len(log)-1].New; newest == since {
		return nil, newest
	}
	at := slices.IndexFunc(log, func(e git.ReflogEntry) bool { return e.New == since })
	var old git.Commit // what to compare with once since was dropped
	if at < 0 && !since.IsZero() {
		var ok bool
		var err error
		if old, ok, err = s.Repo.Reader(ctx).CommitOf(since.String()); err != nil || !ok {
			return nil, newest
		}
	}
	log = log[at+1:]
	for _, e := range log[max(0, len(log)-stashesMax):] {
		c, ok, err := s.Repo.Reader(ctx).CommitOf(e.New.String())
		if err == nil && ok && len(c.Parents) > 1 && c.Committer.When.After(old.Committer.When) && madeOn(c.Message, branch) {
			made = append(made, c)
		}
	}
	return made, newest
}

// madeOn reports whether a stash's message, `WIP on main: ...` or `On main: ...`, names the branch.
func madeOn(message, branch string) bool {
	if branch == "" {
		branch = "(no branch)"
	}
	text, _ := strings.CutPrefix(message, "WIP on ")
	text = strings.TrimPrefix(text, "On ")
	return strings.HasPrefix(text, branch+": ")
}

// stashLog returns the entries of the newest stashes, oldest first.
func stashLog(ctx context.Context, s *sessionstate.Env) []git.ReflogEntry {
	log := git.ParseReflog(s.Repo.ReflogTail(ctx, s.Repo.CommonDir, "refs/stash", githead.ReflogTail))
	return slices.DeleteFunc(log, func(e git.ReflogEntry) bool { return e.New.IsZero() })
}
