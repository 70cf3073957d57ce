package transcript

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/internal/attribution"
	"entire/internal/durable"
	"entire/session"
	"entire/strategy/editcalls"
	"entire/strategy/sessionstate"
)

// noteCalls remembers the edit calls in a line of the transcript.
func noteCalls(c *sessionstate.TranscriptState, line []byte) {
	noteCallsIn(c, conversation.ReadLine(c.Conversation.Agent, line))
}

func noteCallsIn(c *sessionstate.TranscriptState, l conversation.Line) {
	editcalls.Add(c, l.Writes())
	editcalls.NoteResults(c, l.Patched())
	if failed := l.WroteNothing(c.Conversation.Agent); len(failed) > 0 {
		c.Calls = slices.DeleteFunc(c.Calls, func(call sessionstate.EditCall) bool { return slices.Contains(failed, call.ID) })
	}
}

// noteCallsSince remembers the edit calls of a document that continues the document of an older
// capture. It reads the older document's last message again, because the agent may have added to
// it.
func noteCallsSince(c *sessionstate.TranscriptState, older *sessionstate.TranscriptState, doc []byte) {
	from := 0
	if older.Conversation != nil {
		from = older.Conversation.Items() - 1
	}
	c.Calls = slices.Clone(older.Calls)
	writes, patched := conversation.WritesInDocument(doc, from)
	editcalls.Add(c, slices.DeleteFunc(writes, func(w conversation.Written) bool {
		return slices.ContainsFunc(c.Calls, func(old sessionstate.EditCall) bool {
			return old.ID == w.ToolUseID && editcalls.SameFile(conversation.InFolder(c.Folder, w.Path), old.Path)
		})
	}))
	editcalls.NoteResults(c, patched)
}

// AssignTurns assigns the calls that were read since the last time to their turns.
func AssignTurns(o *sessionstate.LockedSession) {
	assignTurnToNew(o)
	NoteTurnPrompt(o)
	addRead(&o.Engine.Capture.ActivityLog, o.Engine.Capture.Conversation, o.Engine.TurnStart.ConversationStart().Lines, max(o.Engine.TurnNumber, 1))
}

// turnBefore is the turn of a call until AssignTurns, if the transcript has it before the open turn and before any new
// prompt: the agent wrote it down after the end of its own turn.
const turnBefore = -1

func assignTurnBefore(c *sessionstate.TranscriptState) {
	for i := range c.Calls {
		if call := &c.Calls[i]; call.Turn == 0 {
			call.Turn = turnBefore
		}
	}
}

// assignTurnToNew assigns the calls that have no turn yet to the open turn, or to the one before.
func assignTurnToNew(o *sessionstate.LockedSession) {
	addFormatted(o, o.Engine.Capture.Calls)
	for i := range o.Engine.Capture.Calls {
		if call := &o.Engine.Capture.Calls[i]; call.Turn <= 0 {
			call.Turn = max(o.Engine.TurnNumber+call.Turn, 1)
		}
	}
}

// UnreadCalls returns the edit calls, of a session in the middle of a turn, that no event has
// read yet. Nothing of them is stored.
func UnreadCalls(o *sessionstate.LockedSession) []sessionstate.EditCall {
	if o.State == nil || o.State.Phase != session.PhaseActive {
		return nil
	}
	unread := sessionstate.TranscriptState{Conversation: conversation.NewConversation(o.State.AgentType), Folder: o.Engine.Capture.Folder}
	unreadMainCalls(o, &unread)
	ScanUnreadSubagents(o, func(*conversation.Conversation, conversation.Mark) {}, func(line []byte) { noteCalls(&unread, line) })
	calls := slices.DeleteFunc(unread.Calls, func(c sessionstate.EditCall) bool {
		return strings.HasPrefix(c.ID, hookCallPrefix) && (shown(c, unread.Calls) || shown(c, o.Engine.Capture.Calls))
	})
	addFormatted(o, calls)
	return calls
}

// addFormatted adds to new calls the lines that formatters have made of theirs. It reads only files of the worktree: a
// transcript may name any, also one of the system's that a reader waits for.
func addFormatted(o *sessionstate.LockedSession, calls []sessionstate.EditCall) {
	editcalls.AddFormatted(calls, func(named string) []byte {
		top := o.State.WorktreePath
		name, err := filepath.Rel(top, conversation.InFolder(top, named))
		if err != nil || !filepath.IsLocal(name) {
			return nil
		}
		text, err := durable.ReadWithin(top, filepath.ToSlash(name), attribution.MaxBytes)
		if err != nil {
			return nil
		}
		return text
	})
}

// shown reports whether a transcript shows a call that a hook told, too: there it has another ID.
func shown(told sessionstate.EditCall, calls []sessionstate.EditCall) bool {
	return slices.ContainsFunc(calls, func(c sessionstate.EditCall) bool {
		begins := slices.Equal(c.Lines[:min(len(told.Lines), len(c.Lines))], told.Lines) // more are a formatter's
		return !strings.HasPrefix(c.ID, hookCallPrefix) && (editcalls.SameFile(c.Path, told.Path) || editcalls.SameFile(told.Path, c.Path)) && begins && (len(told.Lines) > 0 || len(c.Lines) == 0)
	})
}

// unreadMainCalls adds the unread calls of the main conversation to unread.
func unreadMainCalls(o *sessionstate.LockedSession, unread *sessionstate.TranscriptState) {
	f, err := durable.Open(o.State.TranscriptPath)
	if err != nil {
		return
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || fi.Size() == o.Engine.Capture.Offset && len(o.Running) == 0 {
		return
	}
	if !agents.CountsMessages(o.State.AgentType) || !document.Begins(f) {
		UnreadLines(o, f, fi.Size(), func(line []byte) { noteCalls(unread, line) })
	} else if fi.Size() <= liveDocumentMax && o.AsOf.IsZero() {
		if doc, err := ReadDocument(f); err == nil {
			noteCallsSince(unread, &o.Engine.Capture, doc)
		}
		for line := range bytes.Lines(o.Running) {
			noteCalls(unread, bytes.TrimSpace(line))
		}
	}
}

// AddUnreadCalls adds the calls that no event has read yet to the session's calls, for a session that
// is only inspected.
func AddUnreadCalls(o *sessionstate.LockedSession) {
	c := &o.Engine.Capture
	known := len(c.Calls)
	for _, call := range UnreadCalls(o) {
		if !slices.ContainsFunc(c.Calls[:known], func(old sessionstate.EditCall) bool {
			return old.ID == call.ID && editcalls.SameFile(call.Path, old.Path)
		}) {
			c.Calls = append(c.Calls, call)
		}
	}
	assignTurnToNew(o)
}

// CallsOf returns the session's calls, by the paths that they wrote to in this worktree.
func CallsOf(s *sessionstate.Env, o *sessionstate.LockedSession) editcalls.Calls {
	return editcalls.Of(o.ID.String(), o.Engine.Capture.Calls, func(named string) (string, bool) { return RepoPath(s, named) })
}

// DropCallsHere forgets the calls that wrote files of this worktree. Nobody has committed what others wrote elsewhere.
func DropCallsHere(s *sessionstate.Env, o *sessionstate.LockedSession) {
	o.Engine.Capture.Calls = slices.DeleteFunc(o.Engine.Capture.Calls, func(c sessionstate.EditCall) bool {
		_, here := RepoPath(s, c.Path)
		return here
	})
}
