package transcript

import (
	"context"
	"encoding/json"
	"os"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
	"entire/session"
	"entire/strategy/sessionstate"
)

// HearOpenTurns reads what agents have said in the turns that are under way, except in that of the session but, where
// their programs keep a conversation as documents and write these in the middle of a turn, too. Without it, this program
// knows what the last event told. Each process does it once; what cannot be read stays unheard.
func HearOpenTurns(ctx context.Context, s *sessionstate.Env, but id.SessionID) {
	if s.Heard != nil || s.Home == "" || s.Sealing() {
		return
	}
	s.Heard = map[id.SessionID]bool{}
	sums, err := s.Store.Summaries(ctx)
	if err != nil {
		return // whoever needs the sessions says so
	}
	for _, sum := range sums {
		if sum.Phase != session.PhaseActive || sum.ID == but {
			continue
		}
		if _, err := os.Lstat(s.OwnTranscript(sum.ID)); err != nil {
			continue
		}
		err := hearOpenTurn(ctx, s, sum.ID)
		if err != nil {
			s.Log.Warn("what the agent said in its turn is not known yet", "session_id", sum.ID.String(), "err", err)
		}
	}
}

// hearOpenTurn reads the documents of a session that is in a turn.
func hearOpenTurn(ctx context.Context, s *sessionstate.Env, sid id.SessionID) error {
	st, err := s.Store.Load(ctx, sid)
	if err != nil {
		return err
	}
	keeper, ok := agents.For(st.AgentType).(agent.DocumentKeeper)
	if !ok {
		return nil
	}
	documents, unread := ReadDocuments(keeper, s.Home, sid)
	if len(unread) > 0 {
		return unread[0]
	}
	for _, text := range documents {
		if !json.Valid(text) {
			return nil // the program is writing it
		}
	}
	lines, _ := keeper.Lines(sid, documents)
	if len(lines) == 0 {
		return nil
	}
	err = s.UpdateSession(ctx, sid, func(o *sessionstate.LockedSession) error {
		if o.State.Phase != session.PhaseActive {
			return nil
		}
		return KeepLines(s, o, agent.Event{Lines: lines})
	})
	s.Heard[sid] = err == nil
	return err
}
