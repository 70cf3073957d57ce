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

// hand is what a session is known to have done in a turn: the files its edit tools
// named, and which others its calls may have written. Of a silent one no edit is known;
// its conversation may have been taken back. In ever are the files that were named in
// whatever turn, by calls whose texts are not remembered, too; in fresh those of the turn
// that is under way, whose texts may be unread.
type hand struct {
	edited map[string]bool
	ever   map[string]bool
	fresh  map[string]bool
	reach  reach
	told   bool // the transcript names all calls of the turn
	called bool // it made any
	took   bool // maybe what others had written, from git's objects
	silent bool
}

// named reports a file that its edit tools have named, if in another turn.
func (h hand) named(path string) bool { return h.edited[path] || h.ever[path] || h.fresh[path] }

// idle reports a turn whose calls can have written nothing.
func (h hand) idle() bool {
	return h.told && h.called && !h.took && len(h.edited)+len(h.fresh)+len(h.reach.files) == 0
}

// cannot reports a file that it can have had no hand in.
func (h hand) cannot(path string) bool {
	return h.told && !h.took && !h.named(path) && !h.reach.may(path)
}

// tellsAll reports an agent whose transcripts name all calls.
func tellsAll(t agent.AgentType) bool {
	return t == agent.AgentTypeClaudeCode || t == agent.AgentTypeGemini
}

// shellsMax bounds the turns that are remembered for their commands.
const shellsMax = 200

// callTurns are the turns of a session in which it made calls of a kind.
type callTurns struct {
	Turns []int `json:"turns,omitempty"`
	Heard int   `json:"heard,omitempty"` // the transcript's line with the last one that was counted
}

// note counts what was read of a transcript to a turn; last is its line with the last
// such call, 0 for none. What is only read again was counted before; what was said up
// to the line from, in a turn before.
func (s *callTurns) note(last, from, turn int) {
	if last > s.Heard {
		if last <= from {
			turn--
		}
		s.add(turn)
	}
	s.Heard = last
}

// in reports such a turn; turn 0 stands for any.
func (s *callTurns) in(turn int) bool {
	return turn == 0 && len(s.Turns) > 0 || slices.Contains(s.Turns, turn)
}

func (s *callTurns) add(turn int) {
	if !slices.Contains(s.Turns, turn) {
		s.Turns = append(s.Turns, turn)
		s.Turns = s.Turns[max(0, len(s.Turns)-shellsMax):]
	}
}

// turnsOf are the turns by what a session did in them: made calls that may have written
// files which no editing tool names; and that may have brought others' work. Of those that
// are not told there may have been calls which the transcript does not name. Stays is the
// first with a call that may have gone on in later ones, 0 for none.
type turnsOf struct {
	Writes callTurns   `json:"writes,omitzero"` // by an older version: that may have written anything
	Takes  callTurns   `json:"takes,omitzero"`
	Told   callTurns   `json:"told,omitzero"`
	Called callTurns   `json:"called,omitzero"` // that made any call
	Files  []turnFiles `json:"files,omitempty"`
	Heard  int         `json:"heard,omitempty"` // the transcript's lines up to where Files were counted
	Stays  int         `json:"stays,omitempty"`
}

// note counts what was read of a transcript to a turn, which began after the line from.
func (t *turnsOf) note(talk *agent.Conversation, from, turn int) {
	if talk != nil {
		t.Takes.note(talk.Took, from, turn)
		t.Told.note(talk.Told, from, turn)
		t.Called.note(talk.Called, from, turn)
		at := func(line int) int {
			if line <= from {
				return turn - 1
			}
			return turn
		}
		for _, f := range talk.Touched {
			if f.Line > t.Heard {
				t.touched(f.Files, at(f.Line))
			}
		}
		if talk.Stayed > t.Heard && t.Stays == 0 {
			t.Stays = max(at(talk.Stayed), 1)
		}
		t.Heard = talk.Lines
	}
}

// heard leaves out what a transcript holds.
func (t *turnsOf) heard(talk *agent.Conversation) {
	t.Takes.Heard, t.Told.Heard, t.Called.Heard, t.Heard = 0, 0, 0, 0
	if talk != nil {
		t.Takes.Heard, t.Told.Heard, t.Called.Heard, t.Heard = talk.Took, talk.Told, talk.Called, talk.Lines
	}
}

// handsOnDemand reads what a session has done when it is asked for: most commits
// have no need of it.
func (s *ManualCommitStrategy) handsOnDemand(ctx context.Context, beside []*open) func(id.SessionID, int) hand {
	type key struct {
		sid  id.SessionID
		turn int
	}
	known, sessions := map[key]hand{}, s.sessionsOnDemand(ctx, beside)
	return func(sid id.SessionID, turn int) hand {
		h, ok := known[key{sid, turn}]
		if !ok {
			h = s.handIn(sessions(sid), turn)
			known[key{sid, turn}] = h
		}
		return h
	}
}

// callsOnDemand is the same for the calls of editing tools, those that wrote to a path
// or, for "", all.
func (s *ManualCommitStrategy) callsOnDemand(ctx context.Context, beside []*open) func(id.SessionID, string) callIndex {
	sessions, known, looked := s.sessionsOnDemand(ctx, beside), map[id.SessionID]sessionCalls{}, map[string]bool{}
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

// inTurn: the session is in a turn whose beginning is known.
func (o *open) inTurn() bool {
	return o.state != nil && o.state.Phase == session.PhaseActive && o.side.Turn.Seen
}

// leaveOutCopies takes out of the calls of the turn under way that wrote a whole file
// what stood there when the turn began: that is not new because HEAD has left it since.
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

// textAt is what a commit has at a path; nil for nothing, and for what is too large to
// be attributed.
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

func (s *ManualCommitStrategy) sessionsOnDemand(ctx context.Context, beside []*open) func(id.SessionID) *open {
	sessions := map[id.SessionID]*open{}
	for _, o := range beside {
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

// handIn is what a session did in a turn; turn 0 stands for any.
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
		h.reach = h.reach.with(effects.Everything()) // nothing tells
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
	if o.state.Phase == session.PhaseActive && (turn == 0 || turn == o.side.Turns) { // what no event has read yet
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
