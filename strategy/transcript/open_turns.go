package transcript

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
	"entire/session"
	"entire/strategy/sessionstate"
)

// HearOpenTurns reads what agents have said in the turns that are under way, where their programs keep a conversation as
// documents and write these in the middle of a turn, too, or tell it on a socket, or their hooks told it. Without it, this
// program knows what the last event told. It does not ask the session of ev, which is zero or being handled, if the event tells that by itself.
// Each process does it once; what cannot be read stays unheard.
func HearOpenTurns(ctx context.Context, s *sessionstate.Env, ev agent.Event) {
	if s.Heard != nil || s.Home == "" || s.Sealing() {
		return
	}
	s.Heard = map[id.SessionID][]byte{}
	sums, err := s.Store.Summaries(ctx)
	if err != nil {
		return // whoever needs the sessions says so
	}
	for _, sum := range sums {
		switch {
		case sum.ID == ev.SessionID && ev.Type != agent.ToolStart && ev.Type != agent.ToolEnd:
			if ev.Lines != nil && !ev.Partial && (ev.Type == agent.TurnStart || ev.Type == agent.TurnEnd) {
				s.Heard[sum.ID] = nil
			}
		case sum.Phase == session.PhaseActive:
			if err := hearOpenTurn(ctx, s, sum.ID); err != nil {
				s.Log.Warn("what the agent said in its turn is not known yet", "session_id", sum.ID.String(), "err", err)
			}
		}
	}
}

// hearOpenTurn reads what was said in the turn of a session.
func hearOpenTurn(ctx context.Context, s *sessionstate.Env, sid id.SessionID) error {
	st, err := s.Store.Load(ctx, sid)
	if err != nil {
		return err
	}
	switch a := agents.For(st.AgentType).(type) {
	case agent.DocumentKeeper:
		if _, err := os.Lstat(s.OwnTranscript(sid)); err != nil {
			return nil
		}
		lines, err := saidInDocuments(s, a, sid)
		if err != nil || lines == nil {
			return err
		}
		return heard(ctx, s, sid, agent.OpenTurn{Lines: lines}, false)
	case agent.SocketTeller:
		said, ok, err := saidOnSocket(ctx, s, a, sid)
		if err != nil || !ok {
			return err
		}
		return heard(ctx, s, sid, said, true)
	case agent.CallTeller:
		if lines := ToldCalls(s, sid); lines != nil {
			s.Heard[sid] = lines
		}
	}
	return nil
}

// heard keeps what was said in the turn of a session; partial lines follow those that are kept.
func heard(ctx context.Context, s *sessionstate.Env, sid id.SessionID, said agent.OpenTurn, partial bool) error {
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
	s.Heard[sid] = said.Running
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

// socketTime is how long a hook waits for an agent's program, which may be stopped.
const socketTime = time.Second

// keptMessages returns what reports whether a message of a session is kept.
func keptMessages(s *sessionstate.Env, teller agent.SocketTeller, sid id.SessionID) func(string) bool {
	kept := map[string]bool{}
	if f, ok := teller.(agent.Forgetter); ok {
		for _, name := range messageIDs(f, s.OwnTranscript(sid)) {
			kept[name] = true
		}
	}
	return func(name string) bool { return kept[name] }
}

// saidOnSocket asks the program of a session what was said in its turn; ok is false if no program listens any more.
func saidOnSocket(ctx context.Context, s *sessionstate.Env, teller agent.SocketTeller, sid id.SessionID) (said agent.OpenTurn, ok bool, err error) {
	o := &sessionstate.LockedSession{ID: sid}
	if err := s.ReadSession(ctx, o); err != nil || o.Engine.Socket == "" {
		return said, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, socketTime)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", o.Engine.Socket)
	if err != nil {
		return said, false, nil // its process has ended
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	var answer []byte
	if _, err = io.WriteString(conn, sid.String()+"\n"); err == nil {
		answer, err = io.ReadAll(io.LimitReader(conn, documentMax))
	}
	if err != nil {
		return said, false, fmt.Errorf("ask the agent's program: %w", err)
	}
	if said, err = teller.SaidSoFar(answer, keptMessages(s, teller, sid)); err != nil {
		return said, false, fmt.Errorf("read what the agent's program told: %w", err)
	}
	if said.Session != sid {
		return said, false, fmt.Errorf("the agent's program told of session %s", said.Session)
	}
	return said, true, nil
}
