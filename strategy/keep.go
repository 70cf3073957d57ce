package strategy

import (
	"context"
	"fmt"
	"strings"
	"time"

	"entire/checkpoint"
	"entire/internal/git"
)

// DefaultKeepRewinds is how long what a rewind replaced is kept at least.
const DefaultKeepRewinds = 30 * 24 * time.Hour

// liveSteps are the steps of all shadow branches, per worktree as their names say
// it: work that is not committed yet.
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

// keptLongEnough says of a ref that keeps a rewind's steps why it is over, "" while
// it is needed: until its work is committed and its time has passed.
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
