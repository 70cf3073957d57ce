package strategy

import (
	"context"
	"fmt"
	"strings"
	"time"

	"entire/checkpoint"
	"entire/internal/git"
)

// DefaultKeepRewinds is the minimum time for which the files that a rewind replaced are kept.
const DefaultKeepRewinds = 30 * 24 * time.Hour

// liveSteps returns the uncommitted steps, those on any shadow branch, by the worktree that the
// branch's name states.
func (s *ManualCommitStrategy) liveSteps(ctx context.Context) (map[string]map[git.OID]bool, error) {
	refs, err := s.repo.Refs(ctx, "refs/heads/"+checkpoint.ShadowBranchPrefix)
	if err != nil {
		return nil, err
	}
	live := map[string]map[git.OID]bool{}
	for _, ref := range refs {
		_, wt, ok := checkpoint.ParseShadowBranchName(shortRef(ref.Name))
		if !ok || !checkpoint.LooksLikeShadowRef(ref.Name) {
			continue
		}
		if live[wt] == nil {
			live[wt] = map[git.OID]bool{}
		}
		for oid, n := ref.OID, 0; n < ancestorsMax && !live[wt][oid]; n++ {
			live[wt][oid] = true
			c, ok, err := s.repo.Reader(ctx).CommitOf(oid.String())
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

// keptLongEnough returns why a ref that keeps a rewind's steps may be dropped, "" while it is
// needed. It is needed until its work is committed and its time has passed.
func (s *ManualCommitStrategy) keptLongEnough(ctx context.Context, ref git.Ref, live map[string]map[git.OID]bool) string {
	tip, err := s.repo.Reader(ctx).Commit(ref.OID)
	if err != nil {
		return ""
	}
	age := s.Now().Sub(tip.Committer.When)
	dir, rest := refFolder(ref.Name)
	wt, _, inWorktree := strings.Cut(rest, "/")
	keep := undoAge
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
	return fmt.Sprintf("saved %s ago", days(age))
}
