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

// ReadOpenTurns reads what agents have said in the turns that are under way, where that is not in a transcript yet: their
// programs keep documents, which they also write in the middle of a turn, or tell it on a socket, or their hooks told it.
// Without it, this program knows what the last event told. ev is the event that is being handled, or zero; its session is
// not asked if the event tells by itself what was said. Each process does it once; what cannot be read stays unread.
func ReadOpenTurns(ctx context.Context, s *sessionstate.Env, ev agent.Event) {
	if s.OpenTurns != nil || s.Home == "" || s.Sealing() {
		return
	}
	s.OpenTurns = map[id.SessionID][]byte{}
	sums, err := s.Store.Summaries(ctx)
	if err != nil {
		return // whoever needs the sessions says so
	}
	var open []*session.State
	for _, sum := range sums {
		switch {
		case sum.ID == ev.SessionID && ev.Type != agent.ToolStart && ev.Type != agent.ToolEnd:
			if ev.Lines != nil && !ev.Partial && (ev.Type == agent.TurnStart || ev.Type == agent.TurnEnd) {
				s.OpenTurns[sum.ID] = nil
			}
		case sum.Phase == session.PhaseActive:
			st, err := s.Store.Load(ctx, sum.ID)
			if err != nil {
				warnUnread(s, sum.ID, err)
				continue
			}
			open = append(open, st)
		}
	}
	answers := askPrograms(ctx, s, open)
	for _, st := range open {
		if err := readOpenTurn(ctx, s, st, answers[st.SessionID]); err != nil {
			warnUnread(s, st.SessionID, err)
		}
	}
}

func warnUnread(s *sessionstate.Env, sid id.SessionID, err error) {
	s.Log.Warn("what the agent said in its turn is not known yet", "session_id", sid.String(), "err", err)
}

// readOpenTurn keeps what was said in the turn of a session. answer is that of the session's program, nil for none.
func readOpenTurn(ctx context.Context, s *sessionstate.Env, st *session.State, answer *programAnswer) error {
	sid := st.SessionID
	switch a := agents.For(st.AgentType).(type) {
	case agent.DocumentKeeper:
		if _, err := os.Lstat(s.OwnTranscript(sid)); err != nil {
			return nil
		}
		lines, err := saidInDocuments(s, a, sid)
		if err != nil || lines == nil {
			return err
		}
		return keepOpenTurn(ctx, s, sid, agent.OpenTurn{Lines: lines}, false)
	case agent.SocketTeller:
		if answer == nil {
			return nil
		}
		said, err := saidOnSocket(s, a, sid, answer)
		if err != nil {
			return err
		}
		return keepOpenTurn(ctx, s, sid, said, true)
	case agent.CallTeller:
		if lines := HookCalls(s, sid); lines != nil {
			s.OpenTurns[sid] = lines
		}
	}
	return nil
}

// keepOpenTurn keeps what was said in the turn of a session; partial lines follow those that are kept.
func keepOpenTurn(ctx context.Context, s *sessionstate.Env, sid id.SessionID, said agent.OpenTurn, partial bool) error {
	if len(said.Lines) > 0 {
		err := s.UpdateSession(ctx, sid, func(o *sessionstate.LockedSession) error {
			if o.State.Phase != session.PhaseActive {
				return nil
			}
			return KeepLines(s, o, agent.Event{Lines: said.Lines, Partial: partial})
		})
		if err != nil {
			return err
		}
	}
	s.OpenTurns[sid] = said.Running
	return nil
}

// saidInDocuments returns the lines of a session's documents; nil if there is none yet, or the program is writing one.
func saidInDocuments(s *sessionstate.Env, keeper agent.DocumentKeeper, sid id.SessionID) ([]byte, error) {
	documents, unread := ReadDocuments(keeper, s.Home, sid)
	if len(unread) > 0 {
		return nil, unread[0]
	}
	for _, text := range documents {
		if !json.Valid(text) {
			return nil, nil
		}
	}
	lines, _ := keeper.Lines(sid, documents)
	if len(lines) == 0 {
		return nil, nil
	}
	return lines, nil
}
