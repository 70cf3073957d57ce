package strategy

import (
	"slices"

	"entire/agent"
	"entire/internal/attribution"
	"entire/internal/durable"
	"entire/session"
)

const (
	// callsMax and callLinesMax bound the edit calls, and their lines, that a session remembers; the
	// oldest are dropped.
	callsMax, callLinesMax = 400, 40_000
)

// editCall is an edit call with the prints of the lines that it wrote.
type editCall struct {
	ID    string             `json:"id"`
	Path  string             `json:"path"` // as the agent named it
	Turn  int                `json:"turn,omitempty"`
	Model string             `json:"model,omitempty"`
	Lines attribution.Prints `json:"lines"`
	Sure  bool               `json:"sure,omitempty"` // the lines hold nothing that the file had before
}

// noteCalls remembers the edit calls in a line of the transcript.
func (c *capture) noteCalls(line []byte) {
	c.keepCalls(agent.WritesIn(c.Talk.Agent, line))
	if p, ok := agent.PatchedIn(c.Talk.Agent, line); ok {
		c.noteResult(p)
	}
}

// noteCallsSince remembers the edit calls of a document that continues the document of an older
// capture. It reads the older document's last message again, because the agent may have added to
// it.
func (c *capture) noteCallsSince(older *capture, doc []byte) {
	from := 0
	if older.Talk != nil {
		from = older.Talk.Items() - 1
	}
	c.Calls = slices.Clone(older.Calls)
	writes := agent.WritesInDocument(doc, from)
	c.keepCalls(slices.DeleteFunc(writes, func(w agent.Written) bool {
		return slices.ContainsFunc(c.Calls, func(old editCall) bool { return old.ID == w.ToolUseID && old.Path == w.Path })
	}))
}

// keepCalls adds calls to those that are remembered; a call that is known already is replaced and
// keeps its turn.
func (c *capture) keepCalls(writes []agent.Written) {
	for _, w := range writes {
		call := editCall{ID: w.ToolUseID, Path: w.Path, Model: w.Model}
		for _, text := range w.Texts {
			call.Lines = append(call.Lines, attribution.PrintLines([]byte(text))...)
		}
		if len(w.Replaced) > 0 {
			call.Lines, call.Sure = without(call.Lines, w.Replaced), true
		}
		if len(call.Lines) > callLinesMax/4 {
			continue
		}
		c.Calls = slices.DeleteFunc(c.Calls, func(old editCall) bool {
			again := old.ID == call.ID && old.Path == call.Path
			if again { // the transcript was read again: the call keeps its turn
				call.Turn = old.Turn
			}
			return again
		})
		c.Calls = append(c.Calls, call)
	}
	c.forgetCalls()
}

// without removes lines that other texts have, each as often as they have it.
func without(lines attribution.Prints, texts []string) attribution.Prints {
	had := map[attribution.Print]int{}
	for _, text := range texts {
		for _, p := range attribution.PrintLines([]byte(text)) {
			had[p]++
		}
	}
	return slices.DeleteFunc(lines, func(p attribution.Print) bool { had[p]--; return had[p] >= 0 })
}

// noteResult replaces the lines that a call was going to write by those that it did write. A line
// that the call only moved or indented keeps its owner.
func (c *capture) noteResult(p agent.Patched) {
	for i := range c.Calls {
		call := &c.Calls[i]
		if call.ID != p.ToolUseID || call.Path != p.Path || len(p.Added) > callLinesMax/4 {
			continue
		}
		call.Lines, call.Sure = nil, true
		for _, line := range p.Added {
			call.Lines = append(call.Lines, attribution.PrintLines([]byte(line+"\n"))...)
		}
		call.Lines = without(call.Lines, p.Removed)
	}
}

// forgetCalls drops the oldest calls above the limits.
func (c *capture) forgetCalls() {
	sum := 0
	for i := len(c.Calls) - 1; i >= 0; i-- {
		sum += len(c.Calls[i].Lines)
		if sum > callLinesMax || len(c.Calls)-i > callsMax {
			c.Calls = slices.Clone(c.Calls[i+1:])
			return
		}
	}
}

// numberCalls assigns the calls that were read since the last time to their turns.
func (o *open) numberCalls() {
	o.numberFresh()
	o.noteAsked()
	o.side.Capture.note(o.side.Capture.Talk, o.side.Turn.talk().Lines, max(o.side.Turns, 1))
}

// numberFresh assigns the calls that have no turn yet to the open turn.
func (o *open) numberFresh() {
	for i := range o.side.Capture.Calls {
		if call := &o.side.Capture.Calls[i]; call.Turn == 0 {
			call.Turn = max(o.side.Turns, 1)
		}
	}
}

// unreadCalls returns the edit calls, of a session in the middle of a turn, that no event has
// read yet. Nothing of them is stored.
func unreadCalls(o *open) []editCall {
	if o.state == nil || o.state.Phase != session.PhaseActive {
		return nil
	}
	unread := capture{Talk: agent.NewConversation(o.state.AgentType)}
	unreadTalk(o, &unread)
	o.unreadSubagents(func(*agent.Conversation, agent.Mark) {}, unread.noteCalls)
	return unread.Calls
}

// unreadTalk adds the unread calls of the main conversation to unread.
func unreadTalk(o *open, unread *capture) {
	f, err := durable.Open(o.state.TranscriptPath)
	if err != nil {
		return
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || fi.Size() == o.side.Capture.Offset {
		return
	}
	if o.state.AgentType != agent.AgentTypeGemini || !startsDocument(f) {
		unreadLines(o, f, fi.Size(), unread.noteCalls)
	} else if fi.Size() <= evidenceDocument {
		if doc, err := readDocument(f); err == nil {
			unread.noteCallsSince(&o.side.Capture, doc)
		}
	}
}

// hearUnread adds the calls that no event has read yet to the session's calls, for a session that
// is only inspected.
func (o *open) hearUnread() {
	c := &o.side.Capture
	known := len(c.Calls)
	for _, call := range unreadCalls(o) {
		if !slices.ContainsFunc(c.Calls[:known], func(old editCall) bool { return old.ID == call.ID && old.Path == call.Path }) {
			c.Calls = append(c.Calls, call)
		}
	}
	o.numberFresh()
}

// sessionCalls are a session's edit calls by the path that each wrote to, oldest first.
type sessionCalls struct {
	session string
	byPath  map[string][]editCall
	all     []editCall
}

// callsOf returns the session's calls. Calls that wrote outside the worktree are only in all.
func (s *ManualCommitStrategy) callsOf(o *open) sessionCalls {
	out := sessionCalls{session: o.id.String(), byPath: map[string][]editCall{}, all: o.side.Capture.Calls}
	for _, call := range o.side.Capture.Calls {
		if rel, ok := s.relative(call.Path); ok {
			out.byPath[rel] = append(out.byPath[rel], call)
		}
	}
	return out
}

// callIndex finds the calls that wrote a line of a file.
type callIndex struct {
	session string
	of      map[attribution.Print][]editCall // the calls for one path, oldest first
	turns   []int                            // turns of all these calls
}

// count returns how often the calls wrote a line.
func (ix callIndex) count(p attribution.Print) (n int) {
	for _, call := range ix.of[p] {
		for _, line := range call.Lines {
			if line == p {
				n++
			}
		}
	}
	return n
}

// in indexes the calls that wrote to a path, or all calls for "".
func (c sessionCalls) in(path string) callIndex {
	calls := c.byPath[path]
	if path == "" {
		calls = c.all
	}
	if len(calls) == 0 {
		return callIndex{session: c.session}
	}
	ix := callIndex{session: c.session, of: make(map[attribution.Print][]editCall, len(calls[0].Lines))}
	for i, call := range calls {
		ix.turns = append(ix.turns, call.Turn)
		for _, p := range call.Lines {
			if had := ix.of[p]; len(had) == 0 {
				ix.of[p] = calls[i : i+1 : i+1]
			} else if had[len(had)-1].ID != call.ID {
				ix.of[p] = append(had, call)
			}
		}
	}
	return ix
}

// owner adds to the owner of a line the first call that wrote it in the owner's turn, and the
// call's model. If the turn is not known, the first call in any turn is taken, and its turn too
// if all calls that wrote the line were made in one turn.
func (ix callIndex) owner(o attribution.RecordOwner, p attribution.Print) attribution.RecordOwner {
	calls := ix.of[p]
	for _, c := range calls {
		if c.Turn == o.Turn || o.Turn == 0 {
			if o.ToolUseID = c.ID; c.Model != "" {
				o.Model = c.Model
			}
			break
		}
	}
	if o.Turn == 0 && len(calls) > 0 && !slices.ContainsFunc(calls, func(c editCall) bool { return c.Turn != calls[0].Turn }) {
		o.Turn = calls[0].Turn
	}
	return o
}

// refineLines adds to each line of an agent the call that wrote it.
func refineLines(lines []attribution.RecordLine, prints attribution.Prints, indexes []callIndex) {
	for i := range lines {
		l := &lines[i]
		if !l.Added || l.Moved || l.Owner.Class != attribution.ClassAgent {
			continue
		}
		for _, ix := range indexes {
			if ix.session == l.Owner.SessionID {
				l.Owner = ix.owner(l.Owner, prints[i])
			}
		}
	}
}
