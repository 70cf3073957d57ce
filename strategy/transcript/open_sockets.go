package transcript

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
	"entire/session"
	"entire/strategy/sessionstate"
)

// socketTime is how long a hook waits for the agents' programs, all together, because they may be stopped.
const socketTime = time.Second

// programAnswer is what an agent's program sent to who asked what was said in a session's turn.
type programAnswer struct {
	session id.SessionID
	text    []byte
	err     error
}

// askPrograms asks the programs of sessions in a turn what was said in it, all at once, and returns the answers. A session
// has none if its agent tells on no socket, or if no program listens any more.
func askPrograms(ctx context.Context, s *sessionstate.Env, open []*session.State) map[id.SessionID]*programAnswer {
	ctx, cancel := context.WithTimeout(ctx, socketTime)
	defer cancel()
	answers, asked := make(chan *programAnswer, len(open)), 0
	for _, st := range open {
		if _, tells := agents.For(st.AgentType).(agent.SocketTeller); !tells {
			continue
		}
		o := &sessionstate.LockedSession{ID: st.SessionID}
		if err := s.ReadSession(ctx, o); err != nil || o.Engine.Socket == "" {
			continue
		}
		asked++
		go func() { answers <- askProgram(ctx, o.ID, o.Engine.Socket) }()
	}
	out := map[id.SessionID]*programAnswer{}
	for range asked {
		if a := <-answers; a != nil {
			out[a.session] = a
		}
	}
	return out
}

// askProgram asks the program that listens at a socket what was said in a session's turn; nil if none listens.
func askProgram(ctx context.Context, sid id.SessionID, socket string) *programAnswer {
	a := &programAnswer{session: sid}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		if a.err = ctx.Err(); a.err == nil {
			return nil // the program has ended
		}
		return a
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if _, a.err = io.WriteString(conn, sid.String()+"\n"); a.err == nil {
		a.text, a.err = io.ReadAll(io.LimitReader(conn, documentMax))
	}
	return a
}

// saidOnSocket reads the answer of a session's program.
func saidOnSocket(s *sessionstate.Env, teller agent.SocketTeller, sid id.SessionID, answer *programAnswer) (said agent.OpenTurn, err error) {
	if answer.err != nil {
		return said, fmt.Errorf("ask the agent's program: %w", answer.err)
	}
	if said, err = teller.SaidSoFar(answer.text, keptMessages(s, teller, sid)); err != nil {
		return said, fmt.Errorf("read what the agent's program told: %w", err)
	}
	if said.Session != sid {
		return said, fmt.Errorf("the agent's program told of session %s", said.Session)
	}
	return said, nil
}

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
