package strategy

import (
	"context"
	"maps"
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
// worked alone. Beside others, what its own transcript names, and what nobody
// else's does, provided it changed since the last step or no other session has
// claimed it: what stands as another's step left it is theirs.
func (s *ManualCommitStrategy) claims(ctx context.Context, o *open, snap *snapshot, w writtenStep, changed []git.Change) []string {
	var all []string
	for _, c := range changed {
		// After HEAD moved under the turn, what is as in HEAD came with it.
		if _, dirty := snap.files.find(c.Path); dirty || o.side.Turn.Head == snap.head {
			all = append(all, c.Path)
		}
	}
	if s.handIn(o, max(o.side.Turns, 1)).idle() {
		return nil // whatever changed, it was not the agent
	}
	all = s.dropIncluded(ctx, all)
	sums, err := s.here(ctx)
	if err != nil {
		return all // nobody is accused where it cannot be told
	}
	claimed, named := s.othersFiles(ctx, o.id, sums, setOf(all))
	if len(claimed)+len(named) == 0 {
		return all
	}
	own, fresh := map[string]bool{}, s.changedSince(ctx, w, all)
	if o.side.Capture.Talk != nil {
		own = setOf(s.ownEdits(o))
	}
	var out []string
	for _, p := range all {
		if own[p] || !named[p] && (fresh[p] || !claimed[p]) {
			out = append(out, p)
		}
	}
	return out
}

// changedSince are the paths that differ between a step and the one before it:
// all in the first of a branch.
func (s *ManualCommitStrategy) changedSince(ctx context.Context, w writtenStep, all []string) map[string]bool {
	out := map[string]bool{}
	switch {
	case w.skipped:
		return out
	case w.parent.IsZero():
		return setOf(all)
	}
	before, err := s.repo.Reader(ctx).Commit(w.parent)
	if err != nil {
		return out
	}
	changes, err := s.codeDiff(ctx, before.Tree, w.tree)
	if err != nil {
		return out
	}
	return setOf(paths(changes))
}

// ownEdits are the paths, relative to the top, that the agent's edit tools
// named in this turn.
func (s *ManualCommitStrategy) ownEdits(o *open) []string {
	return s.relatives(o.side.Capture.Talk.EditsSince(o.side.Turn.talk()))
}

// relatives are those of a transcript's paths that are ours.
func (s *ManualCommitStrategy) relatives(named []string) (out []string) {
	for _, p := range named {
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

// othersFiles are those of some paths that other sessions of this worktree have claimed,
// and those that the edit tools of sessions in mid-turn have named since their
// last step.
func (s *ManualCommitStrategy) othersFiles(ctx context.Context, self id.SessionID, sums []session.Summary, among map[string]bool) (claimed, named map[string]bool) {
	return filesOf(s.othersWork(ctx, self, sums, among))
}

func filesOf(others []work) (claimed, named map[string]bool) {
	claimed, named = map[string]bool{}, map[string]bool{}
	for _, w := range others {
		maps.Copy(claimed, w.touched)
		maps.Copy(named, w.edited)
	}
	return claimed, named
}

// othersWork is what the states of other sessions of this worktree say of their
// work, where it may be at some paths: nothing of what they left there.
func (s *ManualCommitStrategy) othersWork(ctx context.Context, self id.SessionID, sums []session.Summary, among map[string]bool) []work {
	var out []work
	for _, sum := range sums {
		if sum.ID == self || !pending(sum) ||
			sum.Phase != session.PhaseActive && !sum.Touches(func(p string) bool { return among[textPath(p)] }) {
			continue
		}
		o := &open{id: sum.ID}
		if err := s.readSession(ctx, o); err != nil || o.isNew {
			continue
		}
		w := workBy(o)
		w.touched = setOf(textPaths(o.state.FilesTouched))
		if o.state.Phase == session.PhaseActive {
			s.witness(o, &w)
		}
		out = append(out, w)
	}
	return out
}
