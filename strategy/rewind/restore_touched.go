package rewind

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"entire/id"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// restorableWork returns, by session, the files of its uncommitted work that a plan changes and whose
// changes by the session it may undo. If these files are restored they are the session's again,
// even if a commit in between has removed them from its state.
func restorableWork(ctx context.Context, s *sessionstate.Env, plan *Plan) (map[string][]string, error) {
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		return nil, err
	}
	taken := map[string][]string{}
	for _, sum := range sums {
		if sum.FilesTouched == 0 {
			continue
		}
		o := &sessionstate.LockedSession{ID: sum.ID}
		if err := s.ReadSession(ctx, o); err != nil {
			return nil, err
		}
		sid, listed := o.ID.String(), worktree.SetOf(o.State.FilesTouched)
		for _, c := range plan.Changes {
			if name := sessionstate.EncodePath(c.Path); listed[name] && plan.mayUndo(c, o.ID) {
				taken[sid] = append(taken[sid], name)
			}
		}
	}
	return taken, nil
}

// mayUndo reports whether a change may undo something that a session did.
func (p *Plan) mayUndo(c restore.PlannedChange, sid id.SessionID) bool {
	return len(c.Undoes) == 0 || slices.ContainsFunc(c.Undoes, func(u restore.UndoneChange) bool {
		switch u.Who {
		case whoThis:
			return sid == p.session
		case whoMixed, whoUnknown:
			return true
		}
		return u.Who == WhoSession+" "+sid.String()
	})
}

// restoreTouched lists, in the states of other sessions, the files that an undo or a redo has restored.
// Calling it again changes nothing.
func restoreTouched(ctx context.Context, s *sessionstate.Env, j *restore.RewindJournal) error {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(j.ReturnedWork)), func(name string) bool { return name == j.Session.String() })
	if len(names) == 0 {
		return nil
	}
	snap, err := SnapshotNow(ctx, s)
	if err != nil {
		return err
	}
	tip, err := git.ParseOID(j.Entry.After)
	if err != nil {
		return err
	}
	for _, name := range names {
		sid, err := id.ParseSessionID(name)
		if err != nil {
			return err
		}
		err = s.UpdateSession(ctx, sid, func(o *sessionstate.LockedSession) error {
			if o.IsNew {
				return nil
			}
			if err := condense.FollowHead(ctx, s, o, snap); err != nil {
				return err
			}
			o.State.FilesTouched = changedPathTexts(ctx, s, o, snap, worktree.Union(sessionstate.DecodePaths(o.State.FilesTouched), sessionstate.DecodePaths(j.ReturnedWork[name])))
			o.Engine.LastStep = tip
			return nil
		})
		if err != nil {
			return fmt.Errorf("session %s: %w", sid.Short(), err)
		}
	}
	return nil
}

// changedPathTexts returns those of some paths that differ from HEAD, or whose work by the session a stash holds, in
// the form in which states list them.
func changedPathTexts(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot, files []string) []string {
	ev, w := evidence.Evidence(ctx, s), transcript.SessionWork{Session: o.ID.String(), Base: step.BaseOf(o)}
	var out []string
	for _, p := range files {
		_, kept := worktree.Find(snap.Files, p)
		if !kept {
			_, kept = ev.StashedWork(w, p, git.OID{})
		}
		if kept && !snap.Included[p] {
			out = append(out, sessionstate.EncodePath(p))
		}
	}
	return out
}
