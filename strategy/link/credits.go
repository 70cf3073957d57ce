package link

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/durable"
	"entire/session"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
)

// credits returns the trailers that name the agents with work in the commit, as the project's rules ask: those of
// the commits that it replaces, then those of the sessions, sorted. It never signs off for anybody.
func credits(ctx context.Context, s *sessionstate.Env, l githead.MessageEdit) []trailer.Credit {
	if len(s.Credits) == 0 {
		return nil
	}
	var list []trailer.Credit
	for _, sid := range l.Chosen {
		st, err := s.Store.Load(ctx, sid)
		if err != nil {
			s.Log.Warn("a commit does not name its agent", "session_id", sid.String(), "err", err)
			continue
		}
		paths := workedOn(st, l)
		for _, form := range trailer.FormsFor(s.Credits, paths) {
			list = append(list, creditsOf(s, sid, st, form, paths)...)
		}
	}
	slices.SortFunc(list, trailer.Credit.Compare)
	return append(slices.Clone(l.Credits), list...)
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

// creditsOf returns the trailers for a session: for each model that worked on the commit, or one with the agent's
// address. An agent without an address is named by Assisted-by.
func creditsOf(s *sessionstate.Env, sid id.SessionID, st *session.State, form string, paths []string) []trailer.Credit {
	name, kind := "", st.AgentType
	if kind == "" {
		kind = agent.AgentTypeUnknown
	}
	if a, known := agents.ByType(kind); known {
		name = string(a.Name())
		if signs := a.Profile().Signs.Emails; form == trailer.FormCoAuthored && len(signs) > 0 {
			return []trailer.Credit{trailer.CoAuthored(string(kind), signs[0])}
		}
	}
	var list []trailer.Credit
	for _, model := range modelsOf(s, sid, st, paths) {
		list = append(list, trailer.Assisted(cmp.Or(name, string(kind)), model))
	}
	return list
}

// modelsOf returns the models that worked on the session's part of a commit: those that answered since its last
// checkpoint, and those whose edit calls since then named its files, as subagents' do. Without any it is the model that the
// session used last, "" if that is not known.
func modelsOf(s *sessionstate.Env, sid id.SessionID, st *session.State, paths []string) []string {
	var sd sessionstate.EngineState
	if err := s.Store.LoadSide(sid, sessionstate.EngineStateName, &sd); err != nil {
		sd = sessionstate.EngineState{}
	}
	var models []string
	if c := sd.Capture.Conversation; c != nil {
		models = c.ModelsSince(sd.CondensedMark)
	}
	live, last := liveModels(st, &sd)
	models = append(models, live...)
	for _, call := range sd.Capture.Calls {
		if call.Model != "" && call.Turn > sd.CondensedTurn && slices.ContainsFunc(paths, func(p string) bool { return namesFile(call.Path, p) }) {
			models = append(models, call.Model)
		}
	}
	if len(models) == 0 {
		models = []string{last}
	}
	slices.Sort(models)
	return slices.Compact(models)
}

// namesFile reports whether an agent's name of a file, absolute or not, means a path of the repository.
func namesFile(name, path string) bool {
	name = filepath.ToSlash(name)
	return name == path || strings.HasSuffix(name, "/"+path)
}

// modelBytes is how much of the end of a transcript is read to find its models.
const modelBytes = 1 << 20

// liveModels returns the models that answered in the part of the agent's own transcript that is not captured yet, and
// the model that the session used last.
func liveModels(st *session.State, sd *sessionstate.EngineState) (models []string, last string) {
	from, since := int64(0), sd.CondensedMark
	if c := sd.Capture.Conversation; c != nil {
		last = c.Model
		if sd.Capture.Path == st.TranscriptPath {
			from = sd.Capture.Offset
		}
	}
	f, err := durable.Open(st.TranscriptPath)
	if err != nil {
		return nil, last
	}
	defer f.Close()
	c := conversation.NewConversation(st.AgentType)
	if agents.CountsMessages(st.AgentType) && document.Begins(f) {
		c = transcript.ScanLiveDocument(st.AgentType, sd.Capture.Folder, f)
	} else {
		c.Model, since = last, conversation.Mark{}
		addTail(c, f, from)
	}
	return c.ModelsSince(since), cmp.Or(c.Model, last)
}

// addTail adds the lines of a file from an offset on, of many bytes only the last.
func addTail(c *conversation.Conversation, f *os.File, from int64) {
	info, err := f.Stat()
	if err != nil || info.Size() <= from {
		return
	}
	tail := max(from, info.Size()-modelBytes)
	data, err := io.ReadAll(io.NewSectionReader(f, tail, info.Size()-tail))
	if err != nil {
		return
	}
	if tail > from {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	for line := range bytes.Lines(data) {
		c.AddLine(bytes.TrimRight(line, "\r\n"))
	}
}
