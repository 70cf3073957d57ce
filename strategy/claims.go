package strategy

import (
	"context"
	"maps"
	"path/filepath"

	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// othersAtWork reports whether another session of this worktree is in the middle of a turn. An
// error counts as no.
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

// claims returns the changed paths that are this session's: all of them if it worked alone. With
// concurrent sessions, these are the paths that its own transcript names, and the paths that no
// other transcript names and that changed since the last step or that no other session has
// claimed.
func (s *ManualCommitStrategy) claims(ctx context.Context, o *open, snap *snapshot, w writtenStep, changed []git.Change) []string {
	var all []string
	for _, c := range changed {
		// If HEAD moved during the turn, a file that is as in HEAD came with the move.
		if _, dirty := snap.files.find(c.Path); dirty || o.side.Turn.Head == snap.head {
			all = append(all, c.Path)
		}
	}
	if s.handIn(o, max(o.side.Turns, 1)).idle() {
		return nil // its calls can have written nothing
	}
	all = s.dropIncluded(ctx, all)
	sums, err := s.here(ctx)
	if err != nil {
		return all // the other sessions are not known, and count as having claimed nothing
	}
	claimed, named := s.othersFiles(ctx, o.id, sums, setOf(all))
	if len(claimed)+len(named) == 0 {
		return all
	}
	own, byStep := map[string]bool{}, s.changedSince(ctx, w, all)
	if o.side.Capture.Talk != nil {
		own = setOf(s.ownEdits(o))
	}
	var out []string
	for _, p := range all {
		if own[p] || !named[p] && (byStep[p] || !claimed[p]) {
			out = append(out, p)
		}
	}
	return out
}

// changedSince returns the paths that differ between a step and the step before it: all paths for
// the first step of a branch, none for a skipped step or an error.
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

// ownEdits returns the paths, relative to the top, that the agent's edit tools named in this
// turn.
func (s *ManualCommitStrategy) ownEdits(o *open) []string {
	return s.relatives(o.side.Capture.Talk.EditsSince(o.side.Turn.talk()))
}

// relatives returns the transcript paths that are in this worktree, relative to its top.
func (s *ManualCommitStrategy) relatives(named []string) (out []string) {
	for _, p := range named {
		if rel, ok := s.relative(p); ok {
			out = append(out, rel)
		}
	}
	return out
}

// relative turns a path of a transcript into one relative to the worktree's top, false if it is
// outside.
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

// othersFiles returns those of some paths that other sessions of this worktree have claimed, and
// those that the edit tools of sessions in the middle of a turn have named since their last step.
func (s *ManualCommitStrategy) othersFiles(ctx context.Context, self id.SessionID, sums []session.Summary, among map[string]bool) (claimed, named map[string]bool) {
	return filesOf(s.othersWork(ctx, self, sums, among))
}

// filesOf returns the touched and the edited paths of some sessions' work.
func filesOf(others []work) (claimed, named map[string]bool) {
	claimed, named = map[string]bool{}, map[string]bool{}
	for _, w := range others {
		maps.Copy(claimed, w.touched)
		maps.Copy(named, w.edited)
	}
	return claimed, named
}

// othersWork returns the work of other sessions of this worktree that may concern some paths, as
// their states show it, without the versions that they left.
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
