package strategy

import (
	"context"
	"maps"
	"slices"

	"entire/id"
	"entire/internal/git"
)

// dropReverted forgets the work that the worktree has as in HEAD again, taken
// back by whoever it was, unless a stash holds it, or it is known which lines the
// session's calls wrote: then it may come back. Where something else is staged, the work before is what a commit takes, or the taking
// back is what it leaves.
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

// callsWrote reports that a session's calls wrote lines of a path which are in no
// checkpoint yet, as far as is remembered.
func (s *ManualCommitStrategy) callsWrote(o *open, path string) bool {
	return slices.ContainsFunc(o.side.Capture.Calls, func(call editCall) bool {
		rel, ok := s.relative(call.Path)
		return ok && rel == path && call.Sure && len(call.Lines) > 0
	})
}

// stashedWork is the last that a session did to a path of which a stash holds
// something.
func (e *evidence) stashedWork(w work, path string) (f fileState, ok bool) {
	if len(e.stashTrees()) == 0 {
		return f, false
	}
	spells, _ := e.own(w, path)
	for _, sp := range slices.Backward(spells) {
		if e.stashed(sp, git.OID{}) {
			return sp.to, true
		}
	}
	return f, false
}

// backAgain is the last that a session did to a path of which the worktree has
// something that a commit's tree has not.
func (e *evidence) backAgain(w work, path string, tree git.OID) (f fileState, ok bool) {
	has, ok := e.at(tree, path)
	if !ok {
		return f, false
	}
	spells, _ := e.own(w, path)
	for _, sp := range slices.Backward(spells) {
		if sp.to.mode != 0 && !sp.to.sameContent(has.mode, has.oid) && e.waits(sp, has.oid) {
			return sp.to, true
		}
	}
	return f, false
}

// takenBack are paths that some sessions had brought back to what their base has,
// and of which the commit holds another version, because that was staged before:
// their change is still to be committed. So it is where the commit holds just what
// another session had left before theirs.
type takenBack map[string]map[id.SessionID]bool

func (t takenBack) and(more takenBack) takenBack {
	if len(t) == 0 {
		return more
	}
	maps.Copy(t, more)
	return t
}

// notBy reports a path of a state's list that others have taken back: all that the
// session itself did there is committed.
func (t takenBack) notBy(o *open, text string) bool {
	by := t[textPath(text)]
	return by != nil && !by[o.id]
}

// takenBack finds them among what differs between a commit and the tip.
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

// putBack reports whether the newest version of a path is of a session's making,
// and not what is left where a stash has taken its work away.
func (e *evidence) putBack(w work, c git.Change) bool {
	spells, overtaken := e.own(w, c.Path)
	if overtaken || len(spells) == 0 || !spells[len(spells)-1].to.sameContent(c.NewMode, c.New) {
		return false
	}
	_, stashed := e.stashedWork(w, c.Path)
	return !stashed
}

// dropGone forgets the paths of which neither the branch, nor a stash, nor what is
// staged has anything that an unlinked commit has not.
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

// settledFor adds the paths of which a commit holds all that one of several
// sessions has done there: what remains is of the others.
func (t takenBack) settledFor(ev *evidence, cm madeCommit, base git.OID, remain fileStates, sessions []*open) takenBack {
	for _, c := range cm.changes {
		rest, left := remain.find(c.Path)
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
			if !ev.allIn(work{session: sid.String(), base: base}, c, rest) {
				by[sid] = true
			}
		}
		if len(by) < len(at) {
			t = t.and(takenBack{c.Path: by})
		}
	}
	return t
}

// allIn reports whether a commit has a path just as a session left it, and what
// remains there is no version of the session's.
func (e *evidence) allIn(w work, c git.Change, rest fileState) bool {
	spells, _ := e.own(w, c.Path)
	return len(spells) > 0 && spells[len(spells)-1].to.sameContent(c.NewMode, c.New) &&
		!slices.ContainsFunc(spells, func(s spell) bool { return s.to.sameContent(rest.mode, rest.oid) })
}

// left reports whether a path was left out of the snapshot, so that nobody
// knows how it stands.
func (snap *snapshot) left(path string) bool {
	return slices.ContainsFunc(snap.skipped, func(k KeptFile) bool { return k.Path == path })
}
