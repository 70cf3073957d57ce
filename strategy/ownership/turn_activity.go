package ownership

import (
	"context"
	"maps"
	"slices"

	"entire/id"
	"entire/internal/effects"
	"entire/session"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
)

// hasForegroundTask reports whether the main conversation waits for a subagent.
func hasForegroundTask(sd *sessionstate.EngineState) bool {
	for _, m := range sd.Tasks {
		if !m.Background {
			return true
		}
	}
	return false
}

// lazyActivity returns a function that reads a turn's activity when it is first needed. Most
// commits do not need it.
func lazyActivity(ctx context.Context, s *sessionstate.Env, concurrent []*sessionstate.LockedSession) func(id.SessionID, int) transcript.TurnActivity {
	type key struct {
		sid  id.SessionID
		turn int
	}
	known, sessions := map[key]transcript.TurnActivity{}, transcript.LazySessions(ctx, s, concurrent)
	return func(sid id.SessionID, turn int) transcript.TurnActivity {
		h, ok := known[key{sid, turn}]
		if !ok {
			h = ActivityIn(s, sessions(sid), turn)
			known[key{sid, turn}] = h
		}
		return h
	}
}

// ActivityIn returns what a session did in a turn; turn 0 is any turn.
func ActivityIn(s *sessionstate.Env, o *sessionstate.LockedSession, turn int) transcript.TurnActivity {
	h := transcript.TurnActivity{Edited: map[string]bool{}, EditedEver: map[string]bool{}}
	h.NoEvidence = !slices.ContainsFunc(o.Engine.Capture.Calls, func(call sessionstate.EditCall) bool { return turn == 0 || call.Turn == turn })
	for _, call := range o.Engine.Capture.Calls {
		if rel, ok := transcript.RepoPath(s, call.Path); ok && (turn == 0 || call.Turn == turn) {
			h.Edited[rel] = true
		}
	}
	did := &o.Engine.Capture.ActivityLog
	top := s.Repo.Top
	switch {
	case s.SessionTopCounts:
		top = s.SessionTop
	case o.State != nil:
		top = s.CallsTop(o.State)
	}
	h.Reach, h.ImportedContent = transcript.CallEffects{Top: top, Files: transcript.PatternsIn(did, turn)}, transcript.In(&did.Imports, turn)
	if o.State == nil {
		h.Reach = h.Reach.With(effects.Everything()) // there is no evidence
		return h
	}
	t := o.Engine.Capture.Conversation
	if t != nil {
		since := o.Engine.CondensedMark
		if began := o.Engine.TurnStart.ConversationStart(); turn == o.Engine.TurnNumber && began.Lines < since.Lines {
			since = began // a checkpoint of mid-turn may have left files of the turn out
		}
		for _, p := range t.EditsSince(since) {
			if rel, ok := transcript.RepoPath(s, p); ok {
				h.EditedEver[rel] = true
			}
		}
	}
	w := transcript.SessionWork{TranscriptReadable: t != nil && transcript.ShowsAllCalls(o.State.AgentType, t)}
	h.ToolCallsComplete, h.MadeCalls = transcript.In(&did.Complete, turn), transcript.In(&did.Called, turn)
	if o.State.Phase == session.PhaseActive && (turn == 0 || turn == o.Engine.TurnNumber) { // the part that no event has read yet
		w = openTurnWork(s, o)
		maps.Copy(h.Edited, w.Edited)
		h.EditedInOpenTurn, h.NoEvidence = w.Edited, h.NoEvidence && len(w.Edited) == 0
	}
	h.Reach, h.ImportedContent = h.Reach.With(w.Reach.Files...), h.ImportedContent || w.ImportedContent
	if h.ToolCallsComplete = (h.ToolCallsComplete || w.ToolCallsComplete) && w.TranscriptReadable; !h.ToolCallsComplete {
		h.NoCallShown = w.Active && (w.TranscriptReadable || w.ToldAtEnd)
		unshown := transcript.Unshown(s, o)
		if len(w.Edited) > 0 { // the part that no event has read yet tells what it wrote
			unshown = effects.Unknown().Files[0]
		}
		h.Reach = h.Reach.With(unshown)
	}
	return h
}
