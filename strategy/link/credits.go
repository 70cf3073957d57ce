package link

import (
	"bytes"
	"context"
	"io"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/durable"
	"entire/session"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
)

// credits returns the trailers that name the agents with work in the commit, as the project's rules ask: those of
// the commits that it replaces, then those of the sessions. It never signs off for anybody.
func credits(ctx context.Context, s *sessionstate.Env, l githead.MessageEdit) []trailer.Credit {
	if len(s.Credits) == 0 {
		return nil
	}
	list := l.Credits
	for _, sid := range l.Chosen {
		st, err := s.Store.Load(ctx, sid)
		if err != nil {
			s.Log.Warn("a commit does not name its agent", "session_id", sid.String(), "err", err)
			continue
		}
		for _, form := range trailer.FormsFor(s.Credits, workedOn(st, l)) {
			list = append(list, creditOf(s, sid, st, form))
		}
	}
	return list
}

// workedOn returns the paths of the commit that the session has touched; all of them if its state names none of
// them, as in the middle of a turn.
func workedOn(st *session.State, l githead.MessageEdit) (paths []string) {
	touched := map[string]bool{}
	for _, p := range st.FilesTouched {
		touched[sessionstate.DecodePath(p)] = true
	}
	var all []string
	for _, c := range l.Own {
		all = append(all, c.Path)
		if touched[c.Path] {
			paths = append(paths, c.Path)
		}
	}
	if paths == nil {
		return all
	}
	return paths
}

// creditOf returns the trailer for a session. An agent without an address is named by Assisted-by.
func creditOf(s *sessionstate.Env, sid id.SessionID, st *session.State, form string) trailer.Credit {
	name, kind := "", st.AgentType
	if kind == "" {
		kind = agent.AgentTypeUnknown
	}
	if a, known := agents.ByType(kind); known {
		name = string(a.Name())
		if signs := a.Profile().Signs.Emails; form == trailer.FormCoAuthored && len(signs) > 0 {
			return trailer.CoAuthored(string(kind), signs[0])
		}
	}
	return trailer.Assisted(trailer.OrDefault(name, string(kind)), lastModel(s, sid, st))
}

// modelBytes is how much of the end of a transcript is read to find its model.
const modelBytes = 256 << 10

// lastModel returns the model that the session used last: in its transcript, where it is more than what was read of
// it, or as it was read; "" if neither says.
func lastModel(s *sessionstate.Env, sid id.SessionID, st *session.State) string {
	if model := liveModel(st); model != "" {
		return model
	}
	var sd sessionstate.EngineState
	if err := s.Store.LoadSide(sid, sessionstate.EngineStateName, &sd); err == nil && sd.Capture.Conversation != nil {
		return sd.Capture.Conversation.Model
	}
	return ""
}

// liveModel returns the model at the end of the agent's own transcript, "" if it cannot be read.
func liveModel(st *session.State) string {
	f, err := durable.Open(st.TranscriptPath)
	if err != nil {
		return ""
	}
	defer f.Close()
	if agents.CountsMessages(st.AgentType) && transcript.StartsDocument(f) {
		return transcript.ScanLiveDocument(st.AgentType, f).Model
	}
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	from := max(0, info.Size()-modelBytes)
	data, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	if err != nil {
		return ""
	}
	if from > 0 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	c := conversation.NewConversation(st.AgentType)
	for line := range bytes.Lines(data) {
		c.AddLine(bytes.TrimRight(line, "\r\n"))
	}
	return c.Model
}
