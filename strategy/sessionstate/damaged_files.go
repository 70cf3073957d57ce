package sessionstate

import (
	"context"
	"errors"
	"fmt"

	"entire/id"
	"entire/session"
)

// readOrRenew is ReadSession for a session that is locked: it sets damaged files aside and goes on from the copy of the
// state, or without one as with a new session.
func (s *Env) readOrRenew(ctx context.Context, o *LockedSession) error {
	err := s.ReadSession(ctx, o)
	if errors.Is(err, session.ErrDamagedState) {
		if err := s.setAside(o.ID, "", false, "nothing is known of the session but its steps"); err != nil {
			return err
		}
		err = s.ReadSession(ctx, o)
	}
	if err != nil {
		return err
	}
	if o.engineDamaged {
		if err := s.setAside(o.ID, EngineStateName, false, "its transcript is read again"); err != nil {
			return err
		}
		o.Engine.TranscriptLate = o.State.TranscriptPath != "" // it also tells how many turns there were
	}
	if !o.State.FromCopy() {
		return nil
	}
	if err := s.setAside(o.ID, "", true, "the session goes on as it was last saved"); err != nil {
		return err
	}
	return s.SaveSession(ctx, o)
}

// setAside moves a damaged file of a session to where nobody reads it, and says so once; then is what follows from that.
// With stays a copy is kept there, and the file is replaced later.
func (s *Env) setAside(sid id.SessionID, name string, stays bool, then string) error {
	aside, err := s.Store.SetAside(sid, name, stays)
	if err != nil {
		return err
	}
	s.Log.Error("damaged file set aside", "session_id", sid.String(), "aside", aside)
	if s.Tell != nil {
		s.Tell(fmt.Sprintf("entire: a file of session %s was damaged; it is in %s now, and %s", sid.Short(), aside, then))
	}
	return nil
}

// sharedCopy returns the copy of a session's shared state that its engine.json has, nil if there is none.
func sharedCopy(store *session.StateStore) func(sid id.SessionID) *session.State {
	return func(sid id.SessionID) *session.State {
		var engine struct {
			Shared *session.State `json:"shared"`
		}
		if store.LoadSide(sid, EngineStateName, &engine) != nil {
			return nil
		}
		return engine.Shared
	}
}
