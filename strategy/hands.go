package strategy

import (
	"context"
	"maps"
	"slices"

	"entire/agent"
	"entire/id"
	"entire/internal/effects"
	"entire/internal/git"
	"entire/session"
)

// hand is what a session did in a turn, as far as it is known: the files that its edit tools
// named, and the files that its other calls may have written. ever are the files that edit tools
// named in any turn, including calls whose lines are not remembered; fresh are those of the open
// turn, whose lines may be unread.
type hand struct {
	edited map[string]bool
	ever   map[string]bool
	fresh  map[string]bool
	reach  reach
	told   bool // the transcript shows all tool calls of the turn
	called bool // the turn has tool calls
	took   bool // a call may have imported foreign content from git's objects
	silent bool // no edit call is recorded for the turn, for example after a rewind
}

// named reports a file that the session's edit tools have named, in this turn or another.
func (h hand) named(path string) bool { return h.edited[path] || h.ever[path] || h.fresh[path] }

// idle reports a turn whose calls cannot have written anything.
func (h hand) idle() bool {
	return h.told && h.called && !h.took && len(h.edited)+len(h.fresh)+len(h.reach.files) == 0
}

// cannot reports a file that the session cannot have written in the turn.
func (h hand) cannot(path string) bool {
	return h.told && !h.took && !h.named(path) && !h.reach.may(path)
}

// tellsAll reports an agent whose transcripts show all tool calls.
func tellsAll(t agent.AgentType) bool {
	return t == agent.AgentTypeClaudeCode || t == agent.AgentTypeGemini
}

// shellsMax bounds the turns that are remembered for a kind of call.
const shellsMax = 200

// callTurns are the turns of a session that have calls of one kind.
type callTurns struct {
	Turns []int `json:"turns,omitempty"`
	Heard int   `json:"heard,omitempty"` // the transcript's line of the last counted call
}

// note assigns a call that was read to a turn. last is the transcript's line of the last such
// call, 0 for none; a call up to the line from belongs to the turn before. Calls that are only
// read again were counted before.
func (s *callTurns) note(last, from, turn int) {
	if last > s.Heard {
		if last <= from {
			turn--
		}
		s.add(turn)
	}
	s.Heard = last
}

// in reports whether the turn has such a call; turn 0 is any turn.
func (s *callTurns) in(turn int) bool {
	return turn == 0 && len(s.Turns) > 0 || slices.Contains(s.Turns, turn)
}

func (s *callTurns) add(turn int) {
	if !slices.Contains(s.Turns, turn) {
		s.Turns = append(s.Turns, turn)
		s.Turns = s.Turns[max(0, len(s.Turns)-shellsMax):]
	}
}

// turnsOf are the turns by what a session did in them. A turn that is not in Told may have calls
// that the transcript does not show.
type turnsOf struct {
	Writes callTurns   `json:"writes,omitzero"` // calls that may have written anything, as older versions recorded
	Takes  callTurns   `json:"takes,omitzero"`  // calls that may have imported foreign content
	Told   callTurns   `json:"told,omitzero"`   // all tool calls are recorded
	Called callTurns   `json:"called,omitzero"` // any call
	Files  []turnFiles `json:"files,omitempty"` // files that calls may have written and no edit tool named
	Heard  int         `json:"heard,omitempty"` // the transcript's line up to which Files were counted
	Stays  int         `json:"stays,omitempty"` // first turn with a call that may have gone on in later turns, 0 for none
}

// note assigns what was read of a conversation to a turn, which began after the line from.
func (t *turnsOf) note(conversation *agent.Conversation, from, turn int) {
	if conversation != nil {
		t.Takes.note(conversation.Took, from, turn)
		t.Told.note(conversation.Told, from, turn)
		t.Called.note(conversation.Called, from, turn)
		at := func(line int) int {
			if line <= from {
				return turn - 1
			}
			return turn
		}
		for _, f := range conversation.Touched {
			if f.Line > t.Heard {
				t.touched(f.Files, at(f.Line))
			}
		}
		if conversation.Stayed > t.Heard && t.Stays == 0 {
			t.Stays = max(at(conversation.Stayed), 1)
		}
		t.Heard = conversation.Lines
	}
}

// heard marks a conversation as counted, without assigning its calls.
func (t *turnsOf) heard(conversation *agent.Conversation) {
	t.Takes.Heard, t.Told.Heard, t.Called.Heard, t.Heard = 0, 0, 0, 0
	if conversation != nil {
		t.Takes.Heard, t.Told.Heard, t.Called.Heard, t.Heard = conversation.Took, conversation.Told, conversation.Called, conversation.Lines
	}
}

// handsOnDemand returns a function that reads a turn's activity when it is first needed. Most
// commits do not need it.
func (s *ManualCommitStrategy) handsOnDemand(ctx context.Context, concurrent []*open) func(id.SessionID, int) hand {
	type key struct {
		sid  id.SessionID
		turn int
	}
	known, sessions := map[key]hand{}, s.sessionsOnDemand(ctx, concurrent)
	return func(sid id.SessionID, turn int) hand {
		h, ok := known[key{sid, turn}]
		if !ok {
			h = s.handIn(sessions(sid), turn)
			known[key{sid, turn}] = h
		}
		return h
	}
}

// callsOnDemand returns a function that reads a session's edit calls when they are first needed:
// those that wrote to a path or, for "", all.
func (s *ManualCommitStrategy) callsOnDemand(ctx context.Context, concurrent []*open) func(id.SessionID, string) callIndex {
	sessions, known, looked := s.sessionsOnDemand(ctx, concurrent), map[id.SessionID]sessionCalls{}, map[string]bool{}
	all := map[id.SessionID]callIndex{}
	return func(sid id.SessionID, path string) callIndex {
		if ix, ok := all[sid]; ok && path == "" {
			return ix
		}
		calls, ok := known[sid]
		if !ok {
			calls = s.callsOf(sessions(sid))
			known[sid] = calls
		}
		if o, key := sessions(sid), sid.String()+"\x00"+path; o.inTurn() && !looked[key] {
			looked[key] = true
			s.leaveOutCopies(ctx, o, path, calls.byPath[path])
		}
		ix := calls.in(path)
		if path == "" {
			all[sid] = ix
		}
		return ix
	}
}

// inTurn reports whether the session is in a turn whose beginning is known.
func (o *open) inTurn() bool {
	return o.state != nil && o.state.Phase == session.PhaseActive && o.side.Turn.Seen
}

// leaveOutCopies removes, from the open turn's calls that wrote a whole file, the lines that the
// file had when the turn began. These lines are not new, even if HEAD no longer has them.
func (s *ManualCommitStrategy) leaveOutCopies(ctx context.Context, o *open, path string, calls []editCall) {
	var texts []string
	asked := false
	for i := range calls {
		call := &calls[i]
		if call.Sure || call.Turn != o.side.Turns {
			continue
		}
		if !asked {
			asked = true
			text, err := s.textAt(ctx, o.side.Turn.began(), path)
			if err != nil {
				s.Log.Debug("beginning of a turn not read for attribution", "session_id", o.id.String(), "err", err)
			}
			texts = []string{string(text)}
		}
		call.Lines = without(slices.Clone(call.Lines), texts)
	}
}

// textAt returns a file's text in a commit; nil if there is no file, or if it is too large to be
// attributed.
func (s *ManualCommitStrategy) textAt(ctx context.Context, commit git.OID, path string) ([]byte, error) {
	c, ok, err := s.repo.Reader(ctx).CommitOf(commit.String())
	if err != nil || !ok {
		return nil, err
	}
	blobs, err := s.filesAt(ctx, []git.OID{c.Tree}, []string{path})
	if err != nil {
		return nil, err
	}
	texts, err := s.texts(ctx, blobs[0])
	return texts[blobs[0][0]], err
}

// sessionsOnDemand returns a function that reads a session when it is first needed. A session
// that cannot be read has a nil state.
func (s *ManualCommitStrategy) sessionsOnDemand(ctx context.Context, concurrent []*open) func(id.SessionID) *open {
	sessions := map[id.SessionID]*open{}
	for _, o := range concurrent {
		sessions[o.id] = o
	}
	return func(sid id.SessionID) *open {
		o := sessions[sid]
		if o == nil {
			o = &open{id: sid}
			sessions[sid] = o
			if err := s.readSession(ctx, o); err != nil {
				s.Log.Debug("session not read for attribution", "session_id", sid.String(), "err", err)
			}
		}
		return o
	}
}

// handIn returns what a session did in a turn; turn 0 is any turn.
func (s *ManualCommitStrategy) handIn(o *open, turn int) hand {
	h := hand{edited: map[string]bool{}, ever: map[string]bool{}}
	h.silent = !slices.ContainsFunc(o.side.Capture.Calls, func(call editCall) bool { return turn == 0 || call.Turn == turn })
	for _, call := range o.side.Capture.Calls {
		if rel, ok := s.relative(call.Path); ok && (turn == 0 || call.Turn == turn) {
			h.edited[rel] = true
		}
	}
	did := &o.side.Capture.turnsOf
	h.reach, h.took = reach{s.repo.Top, did.in(turn)}, did.Takes.in(turn)
	if o.state == nil {
		h.reach = h.reach.with(effects.Everything()) // there is no evidence
		return h
	}
	t := o.side.Capture.Talk
	if t != nil {
		for _, p := range t.EditsSince(o.side.Condensed) {
			if rel, ok := s.relative(p); ok {
				h.ever[rel] = true
			}
		}
	}
	w := work{heard: t != nil}
	h.told, h.called = did.Told.in(turn), did.Called.in(turn)
	if o.state.Phase == session.PhaseActive && (turn == 0 || turn == o.side.Turns) { // the part that no event has read yet
		w = s.atWork(o)
		maps.Copy(h.edited, w.edited)
		h.fresh, h.silent = w.edited, h.silent && len(w.edited) == 0
	}
	h.reach, h.took = h.reach.with(w.reach.files...), h.took || w.took
	if h.told = (h.told || w.told) && w.heard && tellsAll(o.state.AgentType); !h.told {
		h.reach = h.reach.with(effects.Everything())
	}
	return h
}
