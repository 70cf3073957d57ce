package strategy

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"entire/id"
	"entire/internal/git"
)

// workTaken returns, by session, the files of its uncommitted work that a plan changes and whose
// changes by the session it may undo. If these files are restored they are the session's again,
// even if a commit in between has removed them from its state.
func (s *ManualCommitStrategy) workTaken(ctx context.Context, plan *RewindPlan) (map[string][]string, error) {
	sums, err := s.here(ctx)
	if err != nil {
		return nil, err
	}
	taken := map[string][]string{}
	for _, sum := range sums {
		if sum.FilesTouched == 0 {
			continue
		}
		o := &open{id: sum.ID}
		if err := s.readSession(ctx, o); err != nil {
			return nil, err
		}
		sid, listed := o.id.String(), setOf(o.state.FilesTouched)
		for _, c := range plan.Changes {
			if name := pathText(c.Path); listed[name] && plan.mayUndo(c, o.id) {
				taken[sid] = append(taken[sid], name)
			}
		}
	}
	return taken, nil
}

// mayUndo reports whether a change may undo something that a session did.
func (p *RewindPlan) mayUndo(c PlannedChange, sid id.SessionID) bool {
	return len(c.Undoes) == 0 || slices.ContainsFunc(c.Undoes, func(u Undone) bool {
		switch u.Who {
		case whoThis:
			return sid == p.sid
		case whoMixed, whoUnknown:
			return true
		}
		return u.Who == whoSession+" "+sid.String()
	})
}

// handBack lists, in the states of other sessions, the files that an undo or a redo has restored.
// Calling it again changes nothing.
func (s *ManualCommitStrategy) handBack(ctx context.Context, j *journal) error {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(j.Back)), func(name string) bool { return name == j.Session.String() })
	if len(names) == 0 {
		return nil
	}
	snap, err := s.now(ctx)
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
		err = s.inSession(ctx, sid, func(o *open) error {
			if o.isNew {
				return nil
			}
			if err := s.followHead(ctx, o, snap); err != nil {
				return err
			}
			o.state.FilesTouched = snap.standing(union(textPaths(o.state.FilesTouched), textPaths(j.Back[name])))
			o.side.Tip = tip
			return nil
		})
		if err != nil {
			return fmt.Errorf("session %s: %w", sid.Short(), err)
		}
	}
	return nil
}

// standing returns those of some paths that differ from HEAD, in the form in which states list
// them.
func (snap *snapshot) standing(files []string) []string {
	var out []string
	for _, p := range files {
		if _, dirty := snap.files.find(p); dirty && !snap.included[p] {
			out = append(out, pathText(p))
		}
	}
	return out
}
