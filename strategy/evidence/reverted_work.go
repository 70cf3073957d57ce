package evidence

import (
	"context"
	"maps"
	"slices"

	"entire/id"
	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// DropReverted forgets the touched files that the worktree has as in HEAD again, whoever reverted
// them. It keeps a file that a stash holds, that session calls wrote lines of, or that was not
// captured, because the work may come back. It keeps a file with something else staged, because a
// commit would take the earlier work or leave the reversal uncommitted.
func DropReverted(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot) {
	ev := Evidence(ctx, s)
	w := transcript.SessionWork{Session: o.ID.String(), Base: step.BaseOf(o)}
	o.State.FilesTouched = slices.DeleteFunc(o.State.FilesTouched, func(text string) bool {
		p := sessionstate.DecodePath(text)
		if _, dirty := worktree.Find(snap.Files, p); dirty || snap.Staged[p] || leftOut(snap, p) || callsWrote(s, o, p) {
			return false
		}
		_, stashed := ev.StashedWork(w, p, git.OID{})
		return !stashed
	})
}

// callsWrote reports whether the session's calls wrote lines of path that are in no checkpoint yet,
// as far as the calls are stored.
func callsWrote(s *sessionstate.Env, o *sessionstate.LockedSession, path string) bool {
	return slices.ContainsFunc(o.Engine.Capture.Calls, func(call sessionstate.EditCall) bool {
		rel, ok := transcript.RepoPath(s, call.Path)
		return ok && rel == path && call.Exact && len(call.Lines) > 0
	})
}

// StashedWork returns the session's last version of a path, if a stash holds some change of it that the
// version committed lacks; every change counts if committed is zero.
func (e *evidence) StashedWork(w transcript.SessionWork, path string, committed git.OID) (f sessionstate.PathVersion, ok bool) {
	if !e.StashChanges(path) {
		return f, false
	}
	changes, _ := e.Own(w, path)
	for _, sp := range slices.Backward(changes) {
		if e.InStash(sp, committed) && (committed.IsZero() || e.Holds(sp, committed, sp.To.OID)) {
			return sp.To, true
		}
	}
	return f, false
}

// RestoredWork returns the session's last version of a path of which the worktree still has a change
// that a commit's tree lacks.
func (e *evidence) RestoredWork(w transcript.SessionWork, path string, tree git.OID) (f sessionstate.PathVersion, ok bool) {
	has, ok := e.VersionAt(tree, path)
	if !ok {
		return f, false
	}
	changes, _ := e.Own(w, path)
	for _, sp := range slices.Backward(changes) {
		if sp.To.Mode != 0 && !worktree.SameContent(sp.To, has.Mode, has.OID) && e.Waits(sp, has.OID) {
			return sp.To, true
		}
	}
	return f, false
}

// RevertedPaths maps a path to the sessions whose change of it is still uncommitted while the commit
// holds that of the others. Such sessions reverted the path to its base version while the commit
// holds a version that was staged before, or the commit has exactly what another session left
// there.
type RevertedPaths map[string]map[id.SessionID]bool

func (t RevertedPaths) Merge(more RevertedPaths) RevertedPaths {
	if len(t) == 0 {
		return more
	}
	maps.Copy(t, more)
	return t
}

// OnlyByOthers reports whether the path is listed and this session is not: then the commit holds all that
// the session did there.
func (t RevertedPaths) OnlyByOthers(o *sessionstate.LockedSession, text string) bool {
	by := t[sessionstate.DecodePath(text)]
	return by != nil && !by[o.ID]
}

// FindReverted finds the reverted paths among the differences between a commit and the tip.
func FindReverted(ctx context.Context, s *sessionstate.Env, differ []git.Change, base git.OID, sessions []*sessionstate.LockedSession) RevertedPaths {
	ev, out := Evidence(ctx, s), RevertedPaths{}
	for _, o := range sessions {
		if step.BaseOf(o) != base {
			continue
		}
		touched := worktree.SetOf(sessionstate.DecodePaths(o.State.FilesTouched))
		for _, c := range differ {
			if !touched[c.Path] || !ev.isReverted(transcript.SessionWork{Session: o.ID.String(), Base: base}, c) {
				continue
			}
			if out[c.Path] == nil {
				out[c.Path] = map[id.SessionID]bool{}
			}
			out[c.Path][o.ID] = true
		}
	}
	return out
}

// isReverted reports whether the newest version of a path is the session's own, and not the result of
// a stash that removed its work.
func (e *evidence) isReverted(w transcript.SessionWork, c git.Change) bool {
	changes, superseded := e.Own(w, c.Path)
	if superseded || len(changes) == 0 || !worktree.SameContent(changes[len(changes)-1].To, c.NewMode, c.New) {
		return false
	}
	_, stashed := e.StashedWork(w, c.Path, git.OID{})
	return !stashed
}

// AddCommitted adds the paths of which the commit holds all that at least one of several sessions did
// there: what remains belongs to the other sessions.
func (t RevertedPaths) AddCommitted(ev *evidence, cm githead.MadeCommit, base git.OID, remain sessionstate.PathVersions, sessions []*sessionstate.LockedSession) RevertedPaths {
	for _, c := range cm.Changes {
		remainder, left := worktree.Find(remain, c.Path)
		if !left || t[c.Path] != nil {
			continue
		}
		var at []id.SessionID
		for _, o := range sessions {
			if step.BaseOf(o) == base && slices.Contains(sessionstate.DecodePaths(o.State.FilesTouched), c.Path) {
				at = append(at, o.ID)
			}
		}
		if len(at) < 2 {
			continue
		}
		by := map[id.SessionID]bool{}
		for _, sid := range at {
			if !ev.fullyCommitted(transcript.SessionWork{Session: sid.String(), Base: base}, c, remainder) {
				by[sid] = true
			}
		}
		if len(by) < len(at) {
			t = t.Merge(RevertedPaths{c.Path: by})
		}
	}
	return t
}

// fullyCommitted reports whether the commit has a path exactly as the session left it, and the remaining
// version is none of the session's.
func (e *evidence) fullyCommitted(w transcript.SessionWork, c git.Change, remainder sessionstate.PathVersion) bool {
	changes, _ := e.Own(w, c.Path)
	return len(changes) > 0 && worktree.SameContent(changes[len(changes)-1].To, c.NewMode, c.New) &&
		!slices.ContainsFunc(changes, func(s githead.FileChange) bool { return worktree.SameContent(s.To, remainder.Mode, remainder.OID) })
}

// leftOut reports whether a path was left out of the snapshot, so that its content is unknown.
func leftOut(snap *worktree.Snapshot, path string) bool {
	return slices.ContainsFunc(snap.Skipped, func(k sessionstate.KeptFile) bool { return k.Path == path })
}
