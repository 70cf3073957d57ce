package transcript

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/internal/attribution"
	"entire/internal/durable"
	"entire/session"
	"entire/strategy/sessionstate"
)

const (
	// callsMax and callLinesMax bound the edit calls, and their lines, that a session remembers; the
	// oldest are dropped.
	callsMax, callLinesMax = 400, 40_000
)

// noteCalls remembers the edit calls in a line of the transcript.
func noteCalls(c *sessionstate.TranscriptState, line []byte) {
	noteCallsIn(c, conversation.ReadLine(c.Conversation.Agent, line))
}

func noteCallsIn(c *sessionstate.TranscriptState, l conversation.Line) {
	addCalls(c, l.Writes())
	noteResults(c, l.Patched())
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
	addCalls(c, slices.DeleteFunc(writes, func(w conversation.Written) bool {
		return slices.ContainsFunc(c.Calls, func(old sessionstate.EditCall) bool {
			return old.ID == w.ToolUseID && sameFile(conversation.InFolder(c.Folder, w.Path), old.Path)
		})
	}))
	noteResults(c, patched)
}

// addCalls adds calls to those that are remembered; a call that is known already is replaced and
// keeps its turn.
func addCalls(c *sessionstate.TranscriptState, writes []conversation.Written) {
	for _, w := range writes {
		call := sessionstate.EditCall{ID: w.ToolUseID, Path: conversation.InFolder(c.Folder, w.Path), Model: w.Model}
		for _, text := range w.Texts {
			call.Lines = append(call.Lines, attribution.PrintLines([]byte(text))...)
		}
		if len(w.Replaced) > 0 {
			call.Lines, call.Exact = withoutLines(call.Lines, w.Replaced), true
		}
		if len(call.Lines) > callLinesMax/4 {
			continue
		}
		isNew := w.Unnamed && c.Conversation != nil && c.Conversation.Lines > c.ActivityLog.ReadTo
		c.Calls = slices.DeleteFunc(c.Calls, func(old sessionstate.EditCall) bool {
			again := !isNew && old.ID == call.ID && sameFile(call.Path, old.Path)
			if again { // the transcript was read again: the call keeps its turn
				call.Turn, call.Path = old.Turn, old.Path
			}
			return again
		})
		c.Calls = append(c.Calls, call)
	}
	trimCalls(c)
}

// withoutLines removes lines that other texts have, each as often as they have it.
func withoutLines(lines attribution.Prints, texts []string) attribution.Prints {
	had := map[attribution.Print]int{}
	for _, text := range texts {
		for _, p := range attribution.PrintLines([]byte(text)) {
			had[p]++
		}
	}
	return slices.DeleteFunc(lines, func(p attribution.Print) bool { had[p]--; return had[p] >= 0 })
}

// noteResults replaces the lines that calls were going to write by those that they did write, and a name that is
// relative to the folder where the agent worked by the whole one. A line that a call only moved or indented keeps
// its owner.
func noteResults(c *sessionstate.TranscriptState, results []conversation.Patched) {
	for _, p := range results {
		p.Path = conversation.InFolder(c.Folder, p.Path)
		for i := range c.Calls {
			call := &c.Calls[i]
			if call.ID != p.ToolUseID || !sameFile(call.Path, p.Path) || len(p.Added) > callLinesMax/4 {
				continue
			}
			if call.Path, call.Exact = p.Path, true; p.AllNew {
				continue
			}
			call.Lines = nil
			for _, line := range p.Added {
				call.Lines = append(call.Lines, attribution.PrintLines([]byte(line+"\n"))...)
			}
			call.Lines = withoutLines(call.Lines, p.Removed)
		}
	}
}

// sameFile reports whether a call and its result name one file: the result may complete the name.
func sameFile(call, result string) bool {
	return call == result || !filepath.IsAbs(call) && strings.HasSuffix(filepath.ToSlash(result), "/"+filepath.ToSlash(filepath.Clean(call)))
}

// trimCalls drops the oldest calls above the limits.
func trimCalls(c *sessionstate.TranscriptState) {
	sum := 0
	for i := len(c.Calls) - 1; i >= 0; i-- {
		sum += len(c.Calls[i].Lines)
		if sum > callLinesMax || len(c.Calls)-i > callsMax {
			c.Calls = slices.Clone(c.Calls[i+1:])
			return
		}
	}
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
	return slices.DeleteFunc(unread.Calls, func(c sessionstate.EditCall) bool {
		return strings.HasPrefix(c.ID, hookCallPrefix) && (shown(c, unread.Calls) || shown(c, o.Engine.Capture.Calls))
	})
}

// shown reports whether a transcript shows a call that a hook told, too: there it has another ID.
func shown(told sessionstate.EditCall, calls []sessionstate.EditCall) bool {
	return slices.ContainsFunc(calls, func(c sessionstate.EditCall) bool {
		return !strings.HasPrefix(c.ID, hookCallPrefix) && (sameFile(c.Path, told.Path) || sameFile(told.Path, c.Path)) && slices.Equal(c.Lines, told.Lines)
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
		if !slices.ContainsFunc(c.Calls[:known], func(old sessionstate.EditCall) bool { return old.ID == call.ID && sameFile(call.Path, old.Path) }) {
			c.Calls = append(c.Calls, call)
		}
	}
	assignTurnToNew(o)
}

// SessionCalls are a session's edit calls by the path that each wrote to, oldest first.
type SessionCalls struct {
	session string
	byPath  map[string][]sessionstate.EditCall
	all     []sessionstate.EditCall
}

// CallsOf returns the session's calls. Calls that wrote outside the worktree are only in all.
func CallsOf(s *sessionstate.Env, o *sessionstate.LockedSession) SessionCalls {
	out := SessionCalls{session: o.ID.String(), byPath: map[string][]sessionstate.EditCall{}, all: o.Engine.Capture.Calls}
	for _, call := range o.Engine.Capture.Calls {
		if rel, ok := RepoPath(s, call.Path); ok {
			out.byPath[rel] = append(out.byPath[rel], call)
		}
	}
	return out
}

// CallIndex finds the calls that wrote a line of a file.
type CallIndex struct {
	Session string
	ByPrint map[attribution.Print][]sessionstate.EditCall // the calls for one path, oldest first
	Turns   []int                                         // turns of all these calls
}

// Index indexes the calls that wrote to a path, or all calls for "".
func (c SessionCalls) Index(path string) CallIndex {
	calls := c.byPath[path]
	if path == "" {
		calls = c.all
	}
	if len(calls) == 0 {
		return CallIndex{Session: c.session}
	}
	ix := CallIndex{Session: c.session, ByPrint: make(map[attribution.Print][]sessionstate.EditCall, len(calls[0].Lines))}
	for i, call := range calls {
		ix.Turns = append(ix.Turns, call.Turn)
		for _, p := range call.Lines {
			if had := ix.ByPrint[p]; len(had) == 0 {
				ix.ByPrint[p] = calls[i : i+1 : i+1]
			} else if last := had[len(had)-1]; last.ID != call.ID || last.Turn != call.Turn {
				ix.ByPrint[p] = append(had, call)
			}
		}
	}
	return ix
}

// With returns the index with the calls of another one, for a file that had another name.
func (ix CallIndex) With(other CallIndex) CallIndex {
	if len(other.Turns) == 0 {
		return ix
	}
	both := CallIndex{Session: ix.Session, ByPrint: maps.Clone(other.ByPrint), Turns: slices.Concat(other.Turns, ix.Turns)}
	for p, calls := range ix.ByPrint {
		both.ByPrint[p] = slices.Concat(both.ByPrint[p], calls)
	}
	return both
}

// Wrote reports whether a call of a turn wrote a line.
func (ix CallIndex) Wrote(p attribution.Print, turn int) bool {
	return slices.ContainsFunc(ix.ByPrint[p], func(c sessionstate.EditCall) bool { return c.Turn == turn })
}

// RefineOwner adds to the owner of a line the first call that wrote it in the owner's turn, and the
// call's model. If the turn is not known, the first call in any turn is taken, and its turn too
// if all calls that wrote the line were made in one turn.
func (ix CallIndex) RefineOwner(o attribution.RecordOwner, p attribution.Print) attribution.RecordOwner {
	calls := ix.ByPrint[p]
	for _, c := range calls {
		if c.Turn == o.Turn || o.Turn == 0 {
			if o.ToolUseID = c.ID; c.Model != "" {
				o.Model = c.Model
			}
			break
		}
	}
	if o.Turn == 0 && len(calls) > 0 && !slices.ContainsFunc(calls, func(c sessionstate.EditCall) bool { return c.Turn != calls[0].Turn }) {
		o.Turn = calls[0].Turn
	}
	return o
}

// RefineLines adds to each line of an agent the call that wrote it.
func RefineLines(lines []attribution.RecordLine, prints attribution.Prints, indexes []CallIndex) {
	for i := range lines {
		l := &lines[i]
		if !l.Added || l.Moved || l.Owner.Class != attribution.ClassAgent {
			continue
		}
		for _, ix := range indexes {
			if ix.Session == l.Owner.SessionID {
				l.Owner = ix.RefineOwner(l.Owner, prints[i])
			}
		}
	}
}

// DropCallsHere forgets the calls that wrote files of this worktree. Nobody has committed what others wrote elsewhere.
func DropCallsHere(s *sessionstate.Env, o *sessionstate.LockedSession) {
	o.Engine.Capture.Calls = slices.DeleteFunc(o.Engine.Capture.Calls, func(c sessionstate.EditCall) bool {
		_, here := RepoPath(s, c.Path)
		return here
	})
}
