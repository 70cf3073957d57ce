package transcript

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/strategy/editcalls"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// BlobTexts reads blobs. Blobs that are too large to compare, and objects that are no blobs, are
// missing from the answer; a blob that git lacks is an error. The zero ID has a nil text.
func BlobTexts(ctx context.Context, s *sessionstate.Env, oids []git.OID) (map[git.OID][]byte, error) {
	out := map[git.OID][]byte{{}: nil}
	var specs []string
	for _, oid := range oids {
		if _, twice := out[oid]; !twice {
			out[oid] = nil
			specs = append(specs, oid.String())
		}
	}
	objs, err := s.Repo.Reader(ctx).Small(attribution.MaxBytes, specs...)
	if err != nil {
		return nil, err
	}
	for i, o := range objs {
		oid, err := git.ParseOID(specs[i])
		if err != nil {
			return nil, err
		}
		if o.Type == "" {
			return nil, fmt.Errorf("read %s: %w", oid, git.ErrMissing)
		}
		if out[oid] = o.Data; o.Large || o.Type != "blob" {
			delete(out, oid)
		}
	}
	return out, nil
}

// HasBackgroundTask reports whether a subagent works independently of the main conversation.
func HasBackgroundTask(sd *sessionstate.EngineState) bool {
	for _, m := range sd.Tasks {
		if m.Background {
			return true
		}
	}
	return false
}

// SessionWork is what one session has done that no commit holds yet, and what shows who did it.
type SessionWork struct {
	Session string
	Base    git.OID // commit on which its steps are based

	// Touched are the paths that its steps changed; left are the versions that the worktree had there
	// at the last step, whoever wrote them. A path that is as in HEAD again is missing.
	Touched    map[string]bool
	AtLastStep map[string]sessionstate.PathVersion

	Matching MatchMode
	Undone   []UndoneCommit // commits that a reset removed: the worktree may still have their content

	// active and the fields below describe an open turn, which no step shows yet.
	Active             bool
	AtTurnStart        sessionstate.PathVersions // the worktree when the turn began, relative to BeganOn
	BeganOn            git.OID                   // HEAD when the turn began
	Edited             map[string]bool           // paths its edit tools named in this turn
	EditedOutside      bool                      // and files outside the worktree
	Reach              CallEffects               // what other calls of the turn may have written
	CallMayCommit      bool                      // a call of the session is open that may make the commit
	BackgroundAgents   bool                      // its agent says that background subagents are active
	ToldAtEnd          bool                      // its agent tells at the turn's end what it did
	ToolCallsComplete  bool                      // its transcript shows all tool calls of the turn
	ImportedContent    bool                      // a call may have imported foreign content through git
	TranscriptReadable bool                      // its transcript was readable, and its agent records all calls
	HasToolCalls       bool                      // its transcript was readable and shows tool calls
	LastSeen           int64
}

// MatchMode says how much of a session's work must be in a commit for the commit to hold it.
type MatchMode int

// RepoPath turns a path of a transcript into that of the file, relative to the worktree's top; false if it is outside.
func RepoPath(s *sessionstate.Env, path string) (string, bool) {
	rel, ok := pathBelow(s, path)
	if ok {
		rel = s.Linked(rel)
	}
	return rel, ok
}

// pathBelow is RepoPath for a path that no symbolic link in the worktree changes.
func pathBelow(s *sessionstate.Env, path string) (string, bool) {
	if below, home := strings.CutPrefix(path, "~/"); home && s.Home != "" {
		path = filepath.Join(s.Home, below)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cmp.Or(s.SessionTop, s.Repo.Top), path)
	}
	if s.SessionTopCounts {
		if rel, err := filepath.Rel(s.SessionTop, path); err == nil && filepath.IsLocal(rel) {
			if here, below := s.Repo.Below(path); below && len(here) < len(rel) {
				rel = here // of two worktrees, one in the other, the inner one has the file
			}
			return filepath.ToSlash(rel), true
		}
	}
	if rel, ok := s.Repo.Below(path); ok {
		return rel, true
	}
	if rel, ok := s.BelowFormerTop(path); ok {
		return rel, true
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", false
	}
	return s.Repo.Below(filepath.Join(dir, filepath.Base(path)))
}

// liveTailBytes bounds how much of a transcript's end is read, unredacted and in memory only, to
// see what an agent is doing now.
const liveTailBytes = 8 << 20

// UnreadLines calls each with the lines of a transcript that are not stored yet, or with the newest of them if there are
// many, and with those of calls that run. It reports whether it could read them.
func UnreadLines(o *sessionstate.LockedSession, f *os.File, size int64, each func(line []byte)) bool {
	from := max(o.Engine.Capture.Offset, o.Engine.TurnStart.TranscriptSize)
	if from > size {
		from = 0
	}
	from = max(from, size-liveTailBytes)
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return false
	}
	if o.AsOf.IsZero() {
		_, err := agent.Lines(io.MultiReader(f, bytes.NewReader(o.Running)), func(line []byte) error { each(line); return nil })
		return err == nil
	}
	unread, err := io.ReadAll(io.LimitReader(f, liveTailBytes))
	before := beforeAsOf(o, unread)
	o.AsOfEnd = from + int64(len(before))
	for line := range bytes.Lines(before) {
		each(bytes.TrimSuffix(line, []byte("\n")))
	}
	return err == nil
}

// beforeAsOf returns the lines before the first one that is later than the session's AsOf; all for no limit. A line
// without a time is as old as the next one that has one, and left out if there is none.
func beforeAsOf(o *sessionstate.LockedSession, lines []byte) []byte {
	if o.AsOf.IsZero() {
		return lines
	}
	end, at := 0, 0
	for line := range bytes.Lines(lines) {
		at += len(line)
		made := conversation.TimeOf(o.State.AgentType, bytes.TrimSuffix(line, []byte("\n")))
		if made.After(o.AsOf) || !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		if !made.IsZero() {
			end = at
		}
	}
	return lines[:end]
}

// TurnActivity is what a session did in a turn, as far as it is known: the files that its edit tools
// named, and the files that its other calls may have written. EditedEver are the files that edit tools
// named in any turn, including calls whose lines are not remembered; EditedInOpenTurn are those of the
// open turn, whose lines may be unread.
type TurnActivity struct {
	Edited            map[string]bool
	EditedEver        map[string]bool
	EditedInOpenTurn  map[string]bool
	Reach             CallEffects
	ToolCallsComplete bool // the transcript shows all tool calls of the turn
	NoCallShown       bool // the turn is open, and its transcript, which shows all calls then or at its end, has none yet
	MadeCalls         bool // the turn has tool calls
	ImportedContent   bool // a call may have imported foreign content from git's objects
	NoEvidence        bool // no edit call is recorded for the turn, for example after a rewind
}

// Idle reports a turn whose calls cannot have written anything.
func (h TurnActivity) Idle() bool {
	return h.ToolCallsComplete && h.MadeCalls && !h.ImportedContent && len(h.Edited)+len(h.EditedInOpenTurn)+len(h.Reach.Files) == 0
}

// NotInTurn reports a file that no call of the turn wrote or may have written, although an edit tool of
// the session may have named it in another turn.
func (h TurnActivity) NotInTurn(path string) bool {
	return h.ToolCallsComplete && !h.ImportedContent && !h.Edited[path] && !h.EditedInOpenTurn[path] && !h.Reach.MayHaveWritten(path)
}

// CannotHaveWritten reports a file that the session cannot have written in the turn.
func (h TurnActivity) CannotHaveWritten(path string) bool {
	return h.NotInTurn(path) && !h.EditedEver[path]
}

// ShowsAllCalls reports whether a transcript of an agent shows all tool calls, by the conversations that are in it; any of
// them may be nil.
func ShowsAllCalls(t agent.AgentType, in ...*conversation.Conversation) bool {
	about := agents.For(t).Profile()
	return about.RecordsAllCalls && (!about.OrNone || slices.ContainsFunc(in, func(c *conversation.Conversation) bool { return c != nil && c.Called > 0 }))
}

// callTurnsMax bounds the turns that are remembered for a kind of call.
const callTurnsMax = 200

// AddRead assigns a call that was read to a turn. last is the transcript's line of the last such
// call, 0 for none; a call up to the line from belongs to the turn before. Calls that are only
// read again were counted before.
func AddRead(s *sessionstate.CallTurns, last, from, turn int) {
	if last > s.ReadTo {
		if last <= from {
			turn--
		}
		add(s, turn)
	}
	s.ReadTo = last
}

// In reports whether the turn has such a call; turn 0 is any turn.
func In(s *sessionstate.CallTurns, turn int) bool {
	return turn == 0 && len(s.Turns) > 0 || slices.Contains(s.Turns, turn)
}

func add(s *sessionstate.CallTurns, turn int) {
	if !slices.Contains(s.Turns, turn) {
		s.Turns = append(s.Turns, turn)
		s.Turns = s.Turns[max(0, len(s.Turns)-callTurnsMax):]
	}
}

// addRead assigns what was read of a conversation to a turn, which began after the line from.
func addRead(t *sessionstate.ActivityLog, conversation *conversation.Conversation, from, turn int) {
	if conversation != nil {
		AddRead(&t.Imports, conversation.ImportedAt, from, turn)
		AddRead(&t.Complete, conversation.CallsKnownAt, from, turn)
		AddRead(&t.Called, conversation.Called, from, turn)
		at := func(line int) int {
			if line <= from {
				return turn - 1
			}
			return turn
		}
		for _, f := range conversation.Touched {
			if f.Line > t.ReadTo {
				notePattern(t, f.Files, at(f.Line))
			}
		}
		if conversation.OutlivedAt > t.ReadTo && t.LastingFrom == 0 {
			t.LastingFrom = max(at(conversation.OutlivedAt), 1)
		}
		t.ReadTo = conversation.Lines
	}
}

// SkipRead marks a conversation as counted, without assigning its calls.
func SkipRead(t *sessionstate.ActivityLog, conversation *conversation.Conversation) {
	t.Imports.ReadTo, t.Complete.ReadTo, t.Called.ReadTo, t.ReadTo = 0, 0, 0, 0
	if conversation != nil {
		t.Imports.ReadTo, t.Complete.ReadTo, t.Called.ReadTo, t.ReadTo = conversation.ImportedAt, conversation.CallsKnownAt, conversation.Called, conversation.Lines
	}
}

// LazyCalls returns a function that reads a session's edit calls when they are first needed, with those that no event has
// read yet: those that wrote to a path or, for "", all.
func LazyCalls(ctx context.Context, s *sessionstate.Env, concurrent []*sessionstate.LockedSession) func(id.SessionID, string) editcalls.Index {
	sessions, known, indexes := LazySessions(ctx, s, concurrent), map[id.SessionID]editcalls.Calls{}, map[string]editcalls.Index{}
	return func(sid id.SessionID, path string) editcalls.Index {
		key := sid.String() + "\x00" + path
		if ix, ok := indexes[key]; ok {
			return ix
		}
		calls, ok := known[sid]
		if !ok {
			o := *sessions(sid) // a copy, because nothing of it is stored
			o.Engine.Capture.Calls = slices.Clone(o.Engine.Capture.Calls)
			AddUnreadCalls(&o)
			calls = CallsOf(s, &o)
			known[sid] = calls
		}
		if o := sessions(sid); step.InTurn(o) {
			leaveOutCopies(ctx, s, o, path, calls.To(path))
		}
		indexes[key] = calls.Index(path)
		return indexes[key]
	}
}

// leaveOutCopies removes, from the open turn's calls that wrote a whole file, the lines that the
// file had when the turn began. These lines are not new, even if HEAD no longer has them.
func leaveOutCopies(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, path string, calls []sessionstate.EditCall) {
	var texts []string
	asked := false
	for i := range calls {
		call := &calls[i]
		if call.Exact || call.Turn != o.Engine.TurnNumber {
			continue
		}
		if !asked {
			asked = true
			text, err := textAt(ctx, s, o.Engine.TurnStart.StartCommit(), path)
			if err != nil {
				s.Log.Debug("beginning of a turn not read for attribution", "session_id", o.ID.String(), "err", err)
			}
			texts = []string{string(text)}
		}
		call.Lines = editcalls.WithoutLines(slices.Clone(call.Lines), texts)
	}
}

// textAt returns a file's text in a commit; nil if there is no file, or if it is too large to be
// attributed.
func textAt(ctx context.Context, s *sessionstate.Env, commit git.OID, path string) ([]byte, error) {
	c, ok, err := s.Repo.Reader(ctx).CommitOf(commit.String())
	if err != nil || !ok {
		return nil, err
	}
	blobs, err := step.BlobsAt(ctx, s, []git.OID{c.Tree}, []string{path})
	if err != nil {
		return nil, err
	}
	texts, err := BlobTexts(ctx, s, blobs[0])
	return texts[blobs[0][0]], err
}

// LazySessions returns a function that reads a session when it is first needed. A session
// that cannot be read has a nil state.
func LazySessions(ctx context.Context, s *sessionstate.Env, concurrent []*sessionstate.LockedSession) func(id.SessionID) *sessionstate.LockedSession {
	sessions := map[id.SessionID]*sessionstate.LockedSession{}
	for _, o := range concurrent {
		sessions[o.ID] = o
	}
	return func(sid id.SessionID) *sessionstate.LockedSession {
		o := sessions[sid]
		if o == nil {
			o = &sessionstate.LockedSession{ID: sid}
			sessions[sid] = o
			if err := s.ReadSession(ctx, o); err != nil {
				s.Log.Debug("session not read for attribution", "session_id", sid.String(), "err", err)
			}
		}
		return o
	}
}

// UndoneCommit is a linked commit that a reset has removed from HEAD's history. If its content is
// committed again, the new commit gets its checkpoints.
type UndoneCommit struct {
	Checkpoints []id.CheckpointID
	Changes     []git.Change
}
