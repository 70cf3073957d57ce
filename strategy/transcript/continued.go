package transcript

import (
	"context"

	"entire/agent"
	"entire/agent/conversation"
	"entire/id"
	"entire/session"
	"entire/strategy/sessionstate"
)

// NoteContinued notes that checkpoints have the conversation that stored is the transcript of, where its agent is about
// to continue it here: the next checkpoint has what follows, and turns are counted on. It changes nothing where the
// session's state knows as much of the conversation, has work of its own, or is in a turn.
func NoteContinued(ctx context.Context, s *sessionstate.Env, sid id.SessionID, t agent.AgentType, stored []byte) error {
	o, err := s.OpenSession(ctx, sid)
	if err != nil {
		return err
	}
	defer o.Close()
	c := conversation.Read(t, stored)
	mark, st := c.Mark(), o.State
	known := o.Engine.CondensedMark
	if mark.Lines <= known.Lines && mark.Items <= known.Items || st.Phase == session.PhaseActive || len(st.FilesTouched) > 0 {
		return nil
	}
	o.Engine.CondensedMark, o.Engine.TurnNumber = mark, max(o.Engine.TurnNumber, mark.Prompts)
	o.Engine.CondensedTurn = o.Engine.TurnNumber
	if o.IsNew { // the session's first event makes its state
		return s.Store.SaveSide(sid, sessionstate.EngineStateName, &o.Engine)
	}
	st.CheckpointTranscriptStart = c.Items()
	return s.SaveSession(ctx, o)
}
