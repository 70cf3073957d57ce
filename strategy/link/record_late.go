package link

import (
	"context"
	"slices"

	"entire/checkpoint/metadata"
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

// shownLate is an undecided commit of whose time a transcript shows calls by now, and how far it was read.
type shownLate struct {
	*sessionstate.UndecidedCommit
	shown int64
}

// provenLate returns the undecided commits that hold a session's work, as its transcript shows by now, oldest first. A
// commit that HEAD no longer has is none of them, and one without a link has no checkpoint yet. It notes in o how far the
// transcript proved nothing of the others.
func provenLate(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) (proven []condense.LateCommit, err error) {
	undecided := undecidedShown(s, o)
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
	for _, u := range undecided {
		i := slices.IndexFunc(gained, func(c git.Commit) bool { return c.OID == u.Commit })
		if i < 0 {
			continue
		}
		late, err := proveLate(ctx, s, o, *u.UndecidedCommit, gained[i], links)
		switch {
		case err != nil:
			return nil, err
		case len(late.Files) == 0:
			u.Shown = u.shown
		default:
			proven = append(proven, late)
		}
	}
	return proven, nil
}

// undecidedShown returns the undecided commits of whose time the session's transcript shows calls that it did not show
// before, and notes for the others how far it was read.
func undecidedShown(s *sessionstate.Env, o *sessionstate.LockedSession) (out []shownLate) {
	if o.State == nil {
		return nil
	}
	for i := range o.Engine.UndecidedCommits {
		u := &o.Engine.UndecidedCommits[i]
		if shows, shown := evidence.ShowsLate(s, o, *u); shows {
			out = append(out, shownLate{u, shown})
		} else {
			u.Shown = shown
		}
	}
	return out
}

// proveLate returns what the transcript proves of an undecided commit: no files if it proves nothing.
func proveLate(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, u sessionstate.UndecidedCommit, made git.Commit, links metadata.Links) (late condense.LateCommit, err error) {
	cm, err := evidence.NewCommit(ctx, s, made, nil)
	if err != nil {
		return late, err
	}
	files, err := evidence.DecideLate(ctx, s, o, u, cm.Changes, condense.Strictness(cm))
	if err != nil || len(files) == 0 {
		return late, err
	}
	linked := links.Of(u.Commit, cm.Message)
	if cm.Unnamed, cm.ReusesCheckpoint = len(linked) == 0, len(linked) > 0; cm.ReusesCheckpoint {
		late.Checkpoint = linked[0]
	}
	late.MadeCommit, late.Undecided, late.Files = cm, u, files
	return late, nil
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
		if err != nil || len(commits) == 0 {
			return err
		}
		for i := range commits {
			if c := &commits[i]; c.Unnamed {
				if c.Checkpoint, err = s.NewCheckpointID(); err != nil {
					return err
				}
			}
		}
		done, err := condense.Late(ctx, s, o, commits, sums)
		o.Engine.UndecidedCommits = slices.DeleteFunc(o.Engine.UndecidedCommits, func(u sessionstate.UndecidedCommit) bool { return slices.Contains(done, u.Commit) })
		return err
	})
}

// recordLateOf does what recordLate does for each of the sessions that is in a turn. It leaves half of the time to what
// comes after it, and logs errors.
func recordLateOf(ctx context.Context, s *sessionstate.Env, sums []session.Summary) {
	ctx, cancel := halfOf(ctx, s.Now())
	defer cancel()
	for _, sum := range sums {
		if sum.Phase != session.PhaseActive {
			continue
		}
		o := &sessionstate.LockedSession{ID: sum.ID}
		err := s.ReadSession(ctx, o)
		before := slices.Clone(o.Engine.UndecidedCommits)
		var proven []condense.LateCommit
		if err == nil {
			proven, err = provenLate(ctx, s, o)
		}
		if len(proven) > 0 {
			err = recordLate(ctx, s, sum.ID)
		} else if err == nil && readInVain(before, o.Engine.UndecidedCommits) > readAgainMax {
			err = keepShown(ctx, s, sum.ID, o.Engine.UndecidedCommits)
		}
		if err != nil {
			s.Log.Error("commits of the turn were not recorded", "session_id", sum.ID.String(), "err", err)
		}
	}
}

// readAgainMax is how much of a transcript each commit may read again, in bytes, before it is noted that this proves
// nothing.
const readAgainMax = 256 << 10

// readInVain returns how much more of the transcript than before is known to prove nothing of some commit, in bytes.
func readInVain(before, now []sessionstate.UndecidedCommit) (most int64) {
	for i := range now {
		most = max(most, now[i].Shown-before[i].Shown)
	}
	return most
}

// keepShown notes in a session how far its transcript proves nothing of its undecided commits.
func keepShown(ctx context.Context, s *sessionstate.Env, sid id.SessionID, asked []sessionstate.UndecidedCommit) error {
	return s.UpdateSession(ctx, sid, func(o *sessionstate.LockedSession) error {
		for i := range o.Engine.UndecidedCommits {
			u := &o.Engine.UndecidedCommits[i]
			for _, a := range asked {
				if a.Commit == u.Commit && a.Made.Equal(u.Made) {
					u.Shown = max(u.Shown, a.Shown)
				}
			}
		}
		return nil
	})
}
