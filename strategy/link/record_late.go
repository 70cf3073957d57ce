package link

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// lateCommit is an undecided commit that holds a session's work, as the session's transcript shows by now.
type lateCommit struct {
	githead.MadeCommit
	undecided sessionstate.UndecidedCommit
	linked    []id.CheckpointID // its checkpoints, of other sessions or of earlier turns
	files     []string          // that hold the work
}

// provenLate returns those commits of a session, oldest first. A commit that HEAD no longer has is none of them.
func provenLate(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) ([]lateCommit, error) {
	if o.State == nil {
		return nil, nil
	}
	var undecided []sessionstate.UndecidedCommit
	for _, u := range o.Engine.UndecidedCommits {
		if evidence.ToldLate(s, o, u) {
			undecided = append(undecided, u)
		}
	}
	if len(undecided) == 0 {
		return nil, nil
	}
	links, err := records.NewReader(s.Repo).Links(ctx)
	if err != nil {
		return nil, err
	}
	head, err := evidence.HeadCommit(ctx, s)
	if err != nil {
		return nil, err
	}
	gained, err := evidence.CommitsBetween(ctx, s, undecided[0].Base, head)
	if err != nil {
		return nil, err
	}
	var proven []lateCommit
	for _, u := range undecided {
		i := slices.IndexFunc(gained, func(c git.Commit) bool { return c.OID == u.Commit })
		if i < 0 {
			continue
		}
		cm, err := evidence.NewCommit(ctx, s, gained[i], nil)
		if err != nil {
			return nil, err
		}
		files, err := evidence.DecideLate(ctx, s, o, u, cm.Changes, condense.Strictness(cm))
		if err != nil {
			return nil, err
		}
		if len(files) > 0 {
			proven = append(proven, lateCommit{cm, u, links.Of(u.Commit, cm.Message), files})
		}
	}
	return proven, nil
}

// recordLate stores a checkpoint for each of those commits, and links the commit to it without changing the commit.
func recordLate(ctx context.Context, s *sessionstate.Env, sid id.SessionID) error {
	lock, err := githead.CommitLock(ctx, s)
	if err != nil {
		return err
	}
	defer lock.Release()
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		return err
	}
	return s.UpdateSession(ctx, sid, func(o *sessionstate.LockedSession) error {
		if o.IsNew {
			return session.ErrNotFound
		}
		commits, err := provenLate(ctx, s, o)
		if err != nil {
			return err
		}
		var errs []error
		for _, c := range commits {
			if err := recordLateCommit(ctx, s, o, c, sums); err != nil {
				errs = append(errs, fmt.Errorf("record commit %s: %w", c.OID.Short(), err))
				continue
			}
			o.Engine.UndecidedCommits = slices.DeleteFunc(o.Engine.UndecidedCommits, func(u sessionstate.UndecidedCommit) bool { return u.Commit == c.OID })
		}
		return errors.Join(errs...)
	})
}

// recordLateOf does what recordLate does for each of the sessions that is in a turn. It logs errors.
func recordLateOf(ctx context.Context, s *sessionstate.Env, sums []session.Summary) {
	for _, sum := range sums {
		if sum.Phase != session.PhaseActive {
			continue
		}
		o := &sessionstate.LockedSession{ID: sum.ID}
		err := s.ReadSession(ctx, o)
		var proven []lateCommit
		if err == nil {
			proven, err = provenLate(ctx, s, o)
		}
		if len(proven) > 0 {
			err = recordLate(ctx, s, sum.ID)
		}
		if err != nil {
			s.Log.Error("commits of the turn were not recorded", "session_id", sum.ID.String(), "err", err)
		}
	}
}

func recordLateCommit(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, c lateCommit, sums []session.Summary) error {
	cp, err := s.NewCheckpointID()
	if err != nil {
		return err
	}
	if c.Unnamed = len(c.linked) == 0; !c.Unnamed {
		cp, c.ReusesCheckpoint = c.linked[0], true
	}
	return condense.Late(ctx, s, o, c.undecided, c.MadeCommit, cp, c.files, sums)
}
