package strategy

import (
	"context"
	"maps"
	"slices"

	"entire/id"
	"entire/internal/git"
)

// dropReverted forgets the touched files that the worktree has as in HEAD again, whoever reverted
// them. It keeps a file that a stash holds, that session calls wrote lines of, or that was not
// captured, because the work may come back. It keeps a file with something else staged, because a
// commit would take the earlier work or leave the reversal uncommitted.
func (s *ManualCommitStrategy) dropReverted(ctx context.Context, o *open, snap *snapshot) {
	ev := s.evidence(ctx)
	w := work{session: o.id.String(), base: baseOf(o)}
	o.state.FilesTouched = slices.DeleteFunc(o.state.FilesTouched, func(text string) bool {
		p := textPath(text)
		if _, dirty := snap.files.find(p); dirty || snap.staged[p] || snap.left(p) || s.callsWrote(o, p) {
			return false
		}
		_, stashed := ev.stashedWork(w, p)
		return !stashed
	})
}

// callsWrote reports whether the session's calls wrote lines of path that are in no checkpoint yet,
// as far as the calls are stored.
func (s *ManualCommitStrategy) callsWrote(o *open, path string) bool {
	return slices.ContainsFunc(o.side.Capture.Calls, func(call editCall) bool {
		rel, ok := s.relative(call.Path)
		return ok && rel == path && call.Sure && len(call.Lines) > 0
	})
}

// stashedWork returns the session's last version of a path of which a stash holds some change.
func (e *evidence) stashedWork(w work, path string) (f fileState, ok bool) {
	if len(e.stashTrees()) == 0 {
		return f, false
	}
	changes, _ := e.own(w, path)
	for _, sp := range slices.Backward(changes) {
		if e.stashed(sp, git.OID{}) {
			return sp.to, true
		}
	}
	return f, false
}

// backAgain returns the session's last version of a path of which the worktree still has a change
// that a commit's tree lacks.
func (e *evidence) backAgain(w work, path string, tree git.OID) (f fileState, ok bool) {
	has, ok := e.at(tree, path)
	if !ok {
		return f, false
	}
	changes, _ := e.own(w, path)
	for _, sp := range slices.Backward(changes) {
		if sp.to.mode != 0 && !sp.to.sameContent(has.mode, has.oid) && e.waits(sp, has.oid) {
			return sp.to, true
		}
	}
	return f, false
}

// takenBack maps a path to the sessions whose change of it is still uncommitted while the commit
// holds that of the others. Such sessions reverted the path to its base version while the commit
// holds a version that was staged before, or the commit has exactly what another session left
// there.
type takenBack map[string]map[id.SessionID]bool

func (t takenBack) and(more takenBack) takenBack {
	if len(t) == 0 {
		return more
	}
	maps.Copy(t, more)
	return t
}

// notBy reports whether the path is listed and this session is not: then the commit holds all that
// the session did there.
func (t takenBack) notBy(o *open, text string) bool {
	by := t[textPath(text)]
	return by != nil && !by[o.id]
}

// takenBack finds the reverted paths among the differences between a commit and the tip.
func (s *ManualCommitStrategy) takenBack(ctx context.Context, differ []git.Change, base git.OID, sessions []*open) takenBack {
	ev, out := s.evidence(ctx), takenBack{}
	for _, o := range sessions {
		if baseOf(o) != base {
			continue
		}
		touched := setOf(textPaths(o.state.FilesTouched))
		for _, c := range differ {
			if !touched[c.Path] || !ev.putBack(work{session: o.id.String(), base: base}, c) {
				continue
			}
			if out[c.Path] == nil {
				out[c.Path] = map[id.SessionID]bool{}
			}
			out[c.Path][o.id] = true
		}
	}
	return out
}

// putBack reports whether the newest version of a path is the session's own, and not the result of
// a stash that removed its work.
func (e *evidence) putBack(w work, c git.Change) bool {
	changes, superseded := e.own(w, c.Path)
	if superseded || len(changes) == 0 || !changes[len(changes)-1].to.sameContent(c.NewMode, c.New) {
		return false
	}
	_, stashed := e.stashedWork(w, c.Path)
	return !stashed
}

// dropGone forgets the touched paths of which neither the branch, a stash nor the index has
// anything that an unlinked commit lacks.
func (s *ManualCommitStrategy) dropGone(ctx context.Context, o *open, cm madeCommit, remain fileStates, snap *snapshot) error {
	if !slices.ContainsFunc(o.state.FilesTouched, func(p string) bool { _, left := remain.find(textPath(p)); return !left }) {
		return nil
	}
	if snap.staged == nil {
		staged, err := s.repo.Staged(ctx, s.repo.IndexFile)
		if err != nil {
			return err
		}
		snap.staged = setOf(paths(staged.Changes))
	}
	return s.dropTaken(ctx, o, baseOf(o), snap, false)
}

// settledFor adds the paths of which the commit holds all that at least one of several sessions did
// there: what remains belongs to the other sessions.
func (t takenBack) settledFor(ev *evidence, cm madeCommit, base git.OID, remain fileStates, sessions []*open) takenBack {
	for _, c := range cm.changes {
		remainder, left := remain.find(c.Path)
		if !left || t[c.Path] != nil {
			continue
		}
		var at []id.SessionID
		for _, o := range sessions {
			if baseOf(o) == base && slices.Contains(textPaths(o.state.FilesTouched), c.Path) {
				at = append(at, o.id)
			}
		}
		if len(at) < 2 {
			continue
		}
		by := map[id.SessionID]bool{}
		for _, sid := range at {
			if !ev.allIn(work{session: sid.String(), base: base}, c, remainder) {
				by[sid] = true
			}
		}
		if len(by) < len(at) {
			t = t.and(takenBack{c.Path: by})
		}
	}
	return t
}

// allIn reports whether the commit has a path exactly as the session left it, and the remaining
// version is none of the session's.
func (e *evidence) allIn(w work, c git.Change, remainder fileState) bool {
	changes, _ := e.own(w, c.Path)
	return len(changes) > 0 && changes[len(changes)-1].to.sameContent(c.NewMode, c.New) &&
		!slices.ContainsFunc(changes, func(s spell) bool { return s.to.sameContent(remainder.mode, remainder.oid) })
}

// left reports whether a path was left out of the snapshot, so that its content is unknown.
func (snap *snapshot) left(path string) bool {
	return slices.ContainsFunc(snap.skipped, func(k KeptFile) bool { return k.Path == path })
}
