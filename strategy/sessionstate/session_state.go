package sessionstate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"entire/agent"
	"entire/agent/conversation"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/session"
)

// EngineStateName is the engine's own file for a session's state. It is separate because other tools
// drop unknown fields when they save the shared state file.
const EngineStateName = "engine.json"

// Files in the git directory by which the hook scripts know, without starting the program, that it would have
// nothing to do. The scripts write the second, and idle.head beside it: the commit that was made with such a message.
const (
	NothingWaitsName = "idle"      // link.NoteNothingWaits; its time counts
	NamesNoneName    = "idle.next" // the message that git is about to use names no checkpoint
)

// EngineState is the state of a session that the engine keeps outside the shared state file.
type EngineState struct {
	Version int `json:"version"` // 1

	// Author is the identity of the session's steps, read from git once a session.
	Author identity `json:"author,omitzero"`

	// TurnStart is the state at the start of the turn.
	TurnStart TurnStart `json:"turn,omitzero"`

	// TurnNumber is the number of the open turn, or of the last one, from 1. Commits and rewinds do not
	// reset it, so a number always names the same turn.
	TurnNumber int `json:"turns,omitempty"`

	// CondensedTurn is the value of Turns at the last checkpoint.
	CondensedTurn int `json:"committed_turns,omitempty"`

	// TurnPrompts holds the prompts of the latest turns.
	TurnPrompts []TurnPrompt `json:"asked,omitempty"`

	// Prompt is the turn's prompt from the agent's hook, redacted.
	Prompt string `json:"prompt,omitempty"`

	// PromptID names the prompt of the open turn, or of the last one, from an agent whose events name it.
	PromptID string `json:"prompt_id,omitempty"`

	// Capture says how much of the transcript has been stored.
	Capture TranscriptState `json:"capture,omitzero"`

	// Cut describes what the last rewind cut off the transcript. It is nil once the agent has
	// written on, with or without that part.
	TranscriptCut *TranscriptCut `json:"cut,omitempty"`

	// HasBacklog is true if refs/entire/backlog/<session> holds chunks that no other ref reaches yet.
	HasBacklog bool `json:"backlog,omitempty"`

	// Chunks is the number of transcript chunks in the last step.
	Chunks int `json:"chunks,omitempty"`

	// CondensedMark is the position in the conversation at the last checkpoint.
	CondensedMark conversation.Mark `json:"condensed,omitzero"`

	// LastStep is the session's last step.
	LastStep git.OID `json:"tip,omitzero"`

	// Subagents are the subagents whose tokens were counted; CondensedSubagents is what they had used at
	// the last checkpoint.
	Subagents          map[string]SubagentState `json:"agents,omitempty"`
	CondensedSubagents agent.TokenUsage         `json:"condensed_agents,omitzero"`

	// TasksWithoutStep is the tree that refs/entire/tasks/<session> names, zero for none.
	TasksWithoutStep git.OID `json:"quiet,omitzero"`

	// Tasks are the running subagents, by the ID of the tool call that started each.
	Tasks map[string]*RunningTask `json:"tasks,omitempty"`

	// UnlinkedCommits are the latest commits that hold work of the session but have no trailer.
	UnlinkedCommits []UnlinkedCommit `json:"unlinked,omitempty"`

	// UndecidedCommits are commits without a link whose turn's transcript may still show work of the session, oldest first.
	UndecidedCommits []UndecidedCommit `json:"undecided,omitempty"`

	// UnlinkedLines are the latest of the session's unlinked lines (in a commit without a trailer that
	// took none of its files) and uncaptured lines.
	UnlinkedLines attribution.Prints `json:"borrowed,omitempty"`

	// WaitingLines are lines of checkpoints that were made in the open turn and whose owner its end decides.
	WaitingLines []WaitingLines `json:"waiting,omitempty"`

	// ReflogSize is the size of HEAD's reflog at the session's last event, in bytes.
	ReflogSize int64 `json:"reflog,omitempty"`

	// Stash is the newest stash when the turn began, or when a step last looked; the zero OID if there was
	// none, nil if nobody looked.
	Stash *git.OID `json:"stash,omitempty"`

	// AgentProcess is the process that reported the start of the turn; nil if it is not known.
	AgentProcess *git.Ancestor `json:"process,omitempty"`

	// Socket is where the agent's program tells what was said in the open turn, "" for none; see agent.Event.
	Socket string `json:"socket,omitempty"`

	// Claim is what the last step added to the list of files in the shared state, which is written
	// after this file.
	Claim FileClaim `json:"claim,omitzero"`

	// AutoCommit is the state of auto-commit for work that is not committed yet.
	AutoCommit autoState `json:"auto,omitzero"`

	// LateFiles lists files that could not be read in time, oldest first. TranscriptLate is true if the end of
	// the transcript was not read in time.
	LateFiles      []LateFiles `json:"late,omitempty"`
	TranscriptLate bool        `json:"talk_late,omitempty"`

	// NotCaptured lists what the last step left out.
	NotCaptured []KeptFile `json:"not_captured,omitempty"`

	// Shared is the shared state as it was last saved, for the case that its file is damaged. Only [sharedCopy] decodes it.
	Shared json.RawMessage `json:"shared,omitempty"`
}

type identity struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// TurnStart is the state at the start of a turn: HEAD, the step that the worktree equals (zero:
// HEAD itself), and the digest of the differences.
type TurnStart struct {
	Head             git.OID           `json:"head,omitzero"`
	Step             git.OID           `json:"step,omitzero"`
	Digest           string            `json:"digest,omitempty"`
	ConversationMark conversation.Mark `json:"talk,omitzero"` // position in the conversation
	Seen             bool              `json:"seen,omitempty"`

	// TranscriptSize is the transcript's size in bytes at the start of the turn if part of it was still
	// unread; 0 once it is read. Lines is then the number of its lines, which include what an
	// earlier turn did without changing files.
	TranscriptSize  int64 `json:"said,omitempty"`
	TranscriptLines int   `json:"lines,omitempty"`

	// OriginalStart is the commit that the worktree equalled at the start of the turn. It is set if HEAD has
	// moved to another line of history and a commit has moved the mark.
	OriginalStart git.OID `json:"began,omitzero"`

	// OwnStepDue is true if a subagent's step has moved the mark and the turn's own step is still
	// missing. Own is true if that step exists and the turn continues.
	OwnStepDue  bool `json:"partial,omitempty"`
	OwnStepMade bool `json:"own,omitempty"`

	// EndReported is true if the agent reported the turn's end while subagents run in the background.
	EndReported bool `json:"told,omitempty"`
}

// ConversationStart returns the position in the read transcript where the turn's actions begin.
func (m TurnStart) ConversationStart() conversation.Mark {
	at := m.ConversationMark
	at.Lines = max(at.Lines, m.TranscriptLines)
	return at
}

// LocateStart sets the turn's first line and prompt once the transcript is read up to the turn's
// start.
func (m *TurnStart) LocateStart(offset int64, conversation *conversation.Conversation, asking string) {
	if m != nil && m.TranscriptSize > 0 && offset >= m.TranscriptSize {
		m.TranscriptSize, m.TranscriptLines, m.ConversationMark = 0, conversation.Lines, conversation.MarkBeforePrompt(m.ConversationMark, asking)
	}
}

// LocateStartAtEnd records that everything readable is read; a start that is still not found comes later.
func (m *TurnStart) LocateStartAtEnd(offset int64, conversation *conversation.Conversation, asking string) {
	if m != nil && m.TranscriptSize > 0 {
		m.TranscriptLines = conversation.Lines
	}
	m.LocateStart(offset, conversation, asking)
}

// StartCommit returns the commit that the worktree equalled at the start of the turn: a step, or HEAD.
func (m TurnStart) StartCommit() git.OID {
	switch {
	case !m.OriginalStart.IsZero():
		return m.OriginalStart
	case m.Step.IsZero():
		return m.Head
	}
	return m.Step
}

// FileClaim lists the files that a step attributed to the session, with the turn and base of the
// shared state that should also list them.
type FileClaim struct {
	Turn  string   `json:"turn"`
	Base  string   `json:"base"`
	Files []string `json:"files"`
}

// restoreClaim repairs the state after a process was killed between the two writes at a turn's
// end: the step exists, but the state does not list its files.
func (o *LockedSession) restoreClaim() {
	c := o.Engine.Claim
	if c.Turn == "" || c.Turn != o.State.TurnID || c.Base != o.State.BaseCommit || o.State.Phase != session.PhaseActive {
		return
	}
	known := len(o.State.FilesTouched)
	if o.State.TouchFiles(c.Files...); len(o.State.FilesTouched) > known {
		o.State.CheckpointCount = max(o.State.CheckpointCount, 1)
	}
}

// StepsSinceCheckpoint returns the number of the session's steps since its last checkpoint.
func (o *LockedSession) StepsSinceCheckpoint() int {
	return o.State.CheckpointCount - o.Engine.AutoCommit.StepsAtCommit
}

// LockedSession is a session that is locked by this process.
type LockedSession struct {
	ID     id.SessionID
	State  *session.State
	Engine EngineState
	IsNew  bool
	Lock   *durable.Lock

	StepReason          string // why the step in the middle of a turn is made; "" for the step at its end
	NoTimeForTranscript bool   // the transcript could not be read in time in this event
	Interrupted         bool   // the turn that is being finished was interrupted: the agent reported no end
	AtWork              bool   // the step that is being written holds what had changed when it last reported work
	NextImplied         bool   // the event that finishes the turn is no prompt, and work of the next one is in the transcript
	Running             []byte // lines of calls that run, which the transcript does not have yet; see Env.OpenTurns
	NextPrompt          string // prompt of the turn that is about to begin; the transcript may already hold it

	// AsOf limits what the unread part of the transcript shows to the lines up to this time; zero for no limit. A
	// transcript that is one document shows nothing then.
	AsOf    time.Time
	AsOfEnd int64 // where the transcript's lines up to that time end; set when they are read

	ReadBefore map[string]int64 // by subagent ("" for the session) whose transcript this event has read: bytes that were read before

	PackedMessages *PackedMessages // set once a checkpoint was made
	PackedUnsaved  bool            // packed is not saved yet

	engineDamaged bool // engine.json is there and cannot be read
}

// OpenSession locks a session and reads its state. An unknown session gets a new state that is
// not saved yet.
func (s *Env) OpenSession(ctx context.Context, sid id.SessionID) (*LockedSession, error) {
	lock, err := s.Store.Lock(ctx, sid)
	if err != nil {
		return nil, fmt.Errorf("lock session: %w", err)
	}
	o := &LockedSession{ID: sid, Lock: lock}
	if err := s.readOrRenew(ctx, o); err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return o, nil
}

func (s *Env) ReadSession(ctx context.Context, o *LockedSession) error {
	var err error
	o.State, err = s.Store.Load(ctx, o.ID)
	if errors.Is(err, session.ErrNotFound) {
		o.IsNew, o.State = true, &session.State{SessionID: o.ID}
	} else if err != nil {
		return err
	}
	if err := s.Store.LoadSide(o.ID, EngineStateName, &o.Engine); err != nil && !errors.Is(err, session.ErrNotFound) {
		// Everything in it can be rebuilt; the transcript is read again from its start.
		s.Log.Warn("engine state unreadable, starting over", "session_id", o.ID.String(), "err", err)
		o.Engine, o.engineDamaged = EngineState{}, true
	}
	o.Engine.Version, o.Running = 1, s.OpenTurns[o.ID]
	o.restoreClaim()
	return nil
}

// UpdateSession calls do with the locked session, and saves the session if do succeeds.
func (s *Env) UpdateSession(ctx context.Context, sid id.SessionID, do func(*LockedSession) error) error {
	o, err := s.OpenSession(ctx, sid)
	if err != nil {
		return err
	}
	if err = do(o); err == nil {
		err = s.SaveSession(ctx, o)
	}
	return errors.Join(err, o.Close())
}

// SaveSession writes both files, the engine's first: the shared state must not name anything that the
// engine's file does not know. The hook scripts' note that nothing waits goes first: they compare times,
// and the clock may have been set back.
func (s *Env) SaveSession(ctx context.Context, o *LockedSession) error {
	if err := os.Remove(filepath.Join(s.LocalDir(), NothingWaitsName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Log.Warn("the note that nothing waits stays", "err", err)
	}
	var err error
	if o.Engine.Shared, err = json.Marshal(o.State); err != nil {
		return fmt.Errorf("save session %s: %w", o.ID, err)
	}
	if err := s.Store.SaveSide(o.ID, EngineStateName, &o.Engine); err != nil {
		return err
	}
	return s.Store.SaveEncoded(ctx, o.State.SessionID, o.Engine.Shared)
}

func (o *LockedSession) Close() error { return o.Lock.Release() }

// AuthorOf returns the session's identity. It asks git once a session.
func (s *Env) AuthorOf(ctx context.Context, o *LockedSession) git.Signature {
	if o.Engine.Author.Name == "" {
		sig := s.Repo.Identity(ctx)
		o.Engine.Author = identity{sig.Name, sig.Email}
	}
	return git.Signature{Name: o.Engine.Author.Name, Email: o.Engine.Author.Email, When: s.Now()}
}

// InThisWorktree reports whether a session belongs to this worktree. It compares git's ID of the worktree,
// which stays the same when the worktree moves, or the path if an older tool wrote no ID. It notes a path that the
// worktree had before it moved, for CallsTop and BelowFormerTop.
func (s *Env) InThisWorktree(path, worktreeID string) bool {
	if path = DecodePath(path); path == s.Repo.Top {
		return true
	}
	if (worktreeID != "" || s.Repo.WorktreeID != "") && worktreeID != s.Repo.WorktreeID {
		return false
	}
	moved := path != "" && !PathExists(path)
	if moved && !slices.Contains(s.formerTops, path) {
		s.formerTops = append(s.formerTops, path)
	}
	return moved || worktreeID != "" // the main worktree, under the path it had before it moved
}

// CallsTop returns this worktree's top as the calls of one of its sessions name it: as it was before the worktree
// moved, or as it is in the container in which the agent runs.
func (s *Env) CallsTop(st *session.State) string {
	if s.InThisWorktree(st.WorktreePath, st.WorktreeID) && slices.Contains(s.formerTops, DecodePath(st.WorktreePath)) {
		return DecodePath(st.WorktreePath)
	}
	return s.Repo.Top
}

// BelowFormerTop returns a path below a top that this worktree had before it moved, relative to that top. It knows the
// tops of the sessions that InThisWorktree was asked about.
func (s *Env) BelowFormerTop(path string) (rel string, ok bool) {
	for _, top := range s.formerTops {
		if rel, err := filepath.Rel(top, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}
