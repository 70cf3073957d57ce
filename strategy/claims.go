package strategy

import (
	"context"
	"path/filepath"

	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// othersAtWork reports whether another session of this worktree is in
// mid-turn. When that cannot be told, nobody is accused.
func (s *ManualCommitStrategy) othersAtWork(ctx context.Context, self id.SessionID) bool {
	sums, err := s.store.Summaries(ctx)
	if err != nil {
		return false
	}
	for _, sum := range sums {
		if sum.ID != self && sum.Phase == session.PhaseActive && s.mine(sum.WorktreePath, sum.WorktreeID) {
			return true
		}
	}
	return false
}

// claims are the changed paths that are this session's: all of them when it
// worked alone; beside others in mid-turn, those its own transcript names, and
// what nobody else has claimed if a shell of its may have made it.
func (s *ManualCommitStrategy) claims(ctx context.Context, o *open, snap *snapshot, changed []git.Change) []string {
	var all []string
	for _, c := range changed {
		// After HEAD moved under the turn, what is as in HEAD came with it.
		if _, dirty := snap.files.find(c.Path); dirty || o.side.Turn.Head == snap.head {
			all = append(all, c.Path)
		}
	}
	if !s.othersAtWork(ctx, o.id) || o.side.Capture.Talk == nil {
		return all
	}
	own := setOf(s.ownEdits(o))
	if len(own) == 0 {
		return all
	}
	theirs := s.othersFiles(ctx, o.id)
	var out []string
	for _, p := range all {
		if own[p] || !theirs[p] {
			out = append(out, p)
		}
	}
	return out
}

// ownEdits are the paths, relative to the top, that the agent's edit tools
// named in this turn.
func (s *ManualCommitStrategy) ownEdits(o *open) []string {
	var out []string
	for _, p := range o.side.Capture.Talk.EditsSince(o.side.Turn.Talk) {
		if rel, ok := s.relative(p); ok {
			out = append(out, rel)
		}
	}
	return out
}

// relative turns a path of a transcript into one of ours.
func (s *ManualCommitStrategy) relative(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.repo.Top, path)
	}
	rel, err := filepath.Rel(s.repo.Top, path)
	if err != nil || !filepath.IsLocal(rel) {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			rel, err = filepath.Rel(s.repo.Top, filepath.Join(dir, filepath.Base(path)))
			if err == nil && filepath.IsLocal(rel) {
				return filepath.ToSlash(rel), true
			}
		}
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// othersFiles are the paths that other sessions of this worktree have claimed.
func (s *ManualCommitStrategy) othersFiles(ctx context.Context, self id.SessionID) map[string]bool {
	out := map[string]bool{}
	sums, err := s.store.Summaries(ctx)
	if err != nil {
		return out
	}
	for _, sum := range sums {
		if sum.ID == self || sum.FilesTouched == 0 || !s.mine(sum.WorktreePath, sum.WorktreeID) {
			continue
		}
		if st, err := s.store.Load(ctx, sum.ID); err == nil {
			for _, p := range textPaths(st.FilesTouched) {
				out[p] = true
			}
		}
	}
	return out
}
