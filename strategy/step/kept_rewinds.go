package step

import (
	"context"
	"fmt"
	"strings"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// UncommittedSteps returns the uncommitted steps, those on any shadow branch, by the worktree that the
// branch's name states.
func UncommittedSteps(ctx context.Context, s *sessionstate.Env) (map[string]map[git.OID]bool, error) {
	refs, err := s.Repo.Refs(ctx, "refs/heads/"+shadow.BranchPrefix)
	if err != nil {
		return nil, err
	}
	live := map[string]map[git.OID]bool{}
	for _, ref := range refs {
		_, wt, ok := shadow.ParseShadowBranchName(ShortBranch(ref.Name))
		if !ok || !shadow.LooksLikeShadowRef(ref.Name) {
			continue
		}
		if live[wt] == nil {
			live[wt] = map[git.OID]bool{}
		}
		for oid, n := ref.OID, 0; n < AncestorsMax && !live[wt][oid]; n++ {
			live[wt][oid] = true
			c, ok, err := s.Repo.Reader(ctx).CommitOf(oid.String())
			if err != nil {
				return nil, err
			}
			if !ok || len(c.Parents) == 0 {
				break
			}
			oid = c.Parents[0]
		}
	}
	return live, nil
}

// WhyExpired returns why a ref that keeps a rewind's steps may be dropped, "" while it is
// needed. It is needed until its work is committed and its time has passed.
func WhyExpired(ctx context.Context, s *sessionstate.Env, ref git.Ref, live map[string]map[git.OID]bool) string {
	tip, err := s.Repo.Reader(ctx).Commit(ref.OID)
	if err != nil {
		return ""
	}
	age := s.Now().Sub(tip.Committer.When)
	dir, rest := SplitOwnRef(ref.Name)
	wt, _, inWorktree := strings.Cut(rest, "/")
	keep := UndoAge
	if inWorktree && dir == "undo" {
		keep = s.KeepRewinds
		for _, oid := range append([]git.OID{tip.OID}, tip.Parents...) {
			if live[wt][oid] {
				return ""
			}
		}
	}
	if age < keep {
		return ""
	}
	return fmt.Sprintf("saved %s ago", Days(age))
}
