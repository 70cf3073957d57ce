package strategy

import (
	"context"
	"errors"
	"fmt"

	"entire/agent"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/session"
)

// sideName is the engine's own file for a session's state. It is separate because other tools
// drop unknown fields when they save the shared state file.
const sideName = "engine.json"

// side is the state of a session that the engine keeps outside the shared state file.
type side struct {
	Version int `json:"version"` // 1

	// Author is the identity of the session's steps, read from git once a session.
	Author identity `json:"author,omitzero"`

	// Turn is the state at the start of the turn.
	Turn turnMark `json:"turn,omitzero"`

	// Turns is the number of the open turn, or of the last one, from 1. Commits and rewinds do not
	// reset it, so a number always names the same turn.
	Turns int `json:"turns,omitempty"`

	// CommittedTurns is the value of Turns at the last checkpoint.
	CommittedTurns int `json:"committed_turns,omitempty"`

	// Asked holds the prompts of the latest turns.
	Asked []askedTurn `json:"asked,omitempty"`

	// Prompt is the turn's prompt from the agent's hook, redacted.
	Prompt string `json:"prompt,omitempty"`

	// Capture says how much of the transcript has been stored.
	Capture capture `json:"capture,omitzero"`

	// Cut describes what the last rewind cut off the transcript. It is nil once the agent has
	// written on, with or without that part.
	Cut *talkCut `json:"cut,omitempty"`

	// Backlog is true if refs/entire/backlog/<session> holds chunks that no other ref reaches yet.
	Backlog bool `json:"backlog,omitempty"`

	// Chunks is the number of transcript chunks in the last step.
	Chunks int `json:"chunks,omitempty"`

	// Condensed is the position in the conversation at the last checkpoint.
	Condensed agent.Mark `json:"condensed,omitzero"`

	// Tip is the session's last step.
	Tip git.OID `json:"tip,omitzero"`

	// Agents are the subagents whose tokens were counted; CondensedAgents is what they had used at
	// the last checkpoint.
	Agents          map[string]seenAgent `json:"agents,omitempty"`
	CondensedAgents agent.TokenUsage     `json:"condensed_agents,omitzero"`

	// Quiet is the tree that refs/entire/tasks/<session> names, zero for none.
	Quiet git.OID `json:"quiet,omitzero"`

	// Tasks are the running subagents, by the ID of the tool call that started each.
	Tasks map[string]*taskMark `json:"tasks,omitempty"`

	// Unlinked are the latest commits that hold work of the session but have no trailer.
	Unlinked []unlinkedCommit `json:"unlinked,omitempty"`

	// Borrowed are the latest of the session's unlinked lines (in a commit without a trailer that
	// took none of its files) and uncaptured lines.
	Borrowed attribution.Prints `json:"borrowed,omitempty"`

	// Reflog is the size of HEAD's reflog at the session's last event, in bytes.
	Reflog int64 `json:"reflog,omitempty"`

	// Claim is what the last step added to the list of files in the shared state, which is written
	// after this file.
	Claim claim `json:"claim,omitzero"`

	// Auto is the state of auto-commit for work that is not committed yet.
	Auto autoState `json:"auto,omitzero"`

	// Late lists files that could not be read in time, oldest first. TalkLate is true if the end of
	// the transcript was not read in time.
	Late     []lateFiles `json:"late,omitempty"`
	TalkLate bool        `json:"talk_late,omitempty"`

	// NotCaptured lists what the last step left out.
	NotCaptured []KeptFile `json:"not_captured,omitempty"`
}

type identity struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// turnMark is the state at the start of a turn: HEAD, the step that the worktree equals (zero:
// HEAD itself), and the digest of the differences.
type turnMark struct {
	Head   git.OID    `json:"head,omitzero"`
	Step   git.OID    `json:"step,omitzero"`
	Digest string     `json:"digest,omitempty"`
	Talk   agent.Mark `json:"talk,omitzero"` // position in the conversation
	Seen   bool       `json:"seen,omitempty"`

	// Said is the transcript's size in bytes at the start of the turn if part of it was still
	// unread; 0 once it is read. Lines is then the number of its lines, which include what an
	// earlier turn did without changing files.
	Said  int64 `json:"said,omitempty"`
	Lines int   `json:"lines,omitempty"`

	// Began is the commit that the worktree equalled at the start of the turn. It is set if HEAD has
	// moved to another line of history and a commit has moved the mark.
	Began git.OID `json:"began,omitzero"`

	// Partial is true if a subagent's step has moved the mark and the turn's own step is still
	// missing. Own is true if that step exists and the turn continues.
	Partial bool `json:"partial,omitempty"`
	Own     bool `json:"own,omitempty"`

	// Told is true if the agent reported the turn's end while subagents run in the background.
	Told bool `json:"told,omitempty"`
}

// talk returns the position in the read transcript where the turn's actions begin.
func (m turnMark) talk() agent.Mark {
	at := m.Talk
	at.Lines = max(at.Lines, m.Lines)
	return at
}

// reached sets the turn's first line and prompt once the transcript is read up to the turn's
// start.
func (m *turnMark) reached(offset int64, conversation *agent.Conversation, asking string) {
	if m != nil && m.Said > 0 && offset >= m.Said {
		m.Said, m.Lines, m.Talk = 0, conversation.Lines, conversation.AskedAt(m.Talk, asking)
	}
}

// readAll records that everything readable is read; a start that is still not found comes later.
func (m *turnMark) readAll(offset int64, conversation *agent.Conversation, asking string) {
	if m != nil && m.Said > 0 {
		m.Lines = conversation.Lines
	}
	m.reached(offset, conversation, asking)
}

// began returns the commit that the worktree equalled at the start of the turn: a step, or HEAD.
func (m turnMark) began() git.OID {
	switch {
	case !m.Began.IsZero():
		return m.Began
	case m.Step.IsZero():
		return m.Head
	}
	return m.Step
}

// on returns the value of Began after a commit in the turn. If the commit's parent is not the
// commit that the turn began on, the worktree may hold files of the turn's start that are not in
// what is carried forward.
func (m turnMark) on(cm madeCommit) (began git.OID) {
	if m.Began.IsZero() && m.Head == cm.parent {
		return git.OID{}
	}
	return m.began()
}

// claim lists the files that a step attributed to the session, with the turn and base of the
// shared state that should also list them.
type claim struct {
	Turn  string   `json:"turn"`
	Base  string   `json:"base"`
	Files []string `json:"files"`
}

// restoreClaim repairs the state after a process was killed between the two writes at a turn's
// end: the step exists, but the state does not list its files.
func (o *open) restoreClaim() {
	c := o.side.Claim
	if c.Turn == "" || c.Turn != o.state.TurnID || c.Base != o.state.BaseCommit || o.state.Phase != session.PhaseActive {
		return
	}
	known := len(o.state.FilesTouched)
	if o.state.TouchFiles(c.Files...); len(o.state.FilesTouched) > known {
		o.state.CheckpointCount = max(o.state.CheckpointCount, 1)
	}
}

// stepsSince returns the number of the session's steps since its last checkpoint.
func (o *open) stepsSince() int { return o.state.CheckpointCount - o.side.Auto.Counted }

// open is a session that is locked by this process.
type open struct {
	id    id.SessionID
	state *session.State
	side  side
	isNew bool
	lock  *durable.Lock

	why         string // why the step in the middle of a turn is made; "" for the step at its end
	noTime      bool   // the transcript could not be read in time in this event
	interrupted bool   // the turn that is being finished was interrupted: the agent reported no end
	next        string // prompt of the turn that is about to begin; the transcript may already hold it

	heard map[string]int64 // by subagent whose transcript this event has read: bytes that were read before

	packed   *packedTalk // set once a checkpoint was made
	repacked bool        // packed is not saved yet
}

// openSession locks a session and reads its state. An unknown session gets a new state that is
// not saved yet.
func (s *ManualCommitStrategy) openSession(ctx context.Context, sid id.SessionID) (*open, error) {
	lock, err := s.store.Lock(ctx, sid)
	if err != nil {
		return nil, fmt.Errorf("lock session: %w", err)
	}
	o := &open{id: sid, lock: lock}
	if err := s.readSession(ctx, o); err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return o, nil
}

func (s *ManualCommitStrategy) readSession(ctx context.Context, o *open) error {
	var err error
	o.state, err = s.store.Load(ctx, o.id)
	if errors.Is(err, session.ErrNotFound) {
		o.isNew, o.state = true, &session.State{SessionID: o.id}
	} else if err != nil {
		return err
	}
	if err := s.store.LoadSide(o.id, sideName, &o.side); err != nil && !errors.Is(err, session.ErrNotFound) {
		// Everything in it can be rebuilt; the transcript is read again from its start.
		s.Log.Warn("engine state unreadable, starting over", "session_id", o.id.String(), "err", err)
		o.side = side{}
	}
	o.side.Version = 1
	o.restoreClaim()
	return nil
}

// inSession calls do with the locked session, and saves the session if do succeeds.
func (s *ManualCommitStrategy) inSession(ctx context.Context, sid id.SessionID, do func(*open) error) error {
	o, err := s.openSession(ctx, sid)
	if err != nil {
		return err
	}
	if err = do(o); err == nil {
		err = s.save(ctx, o)
	}
	return errors.Join(err, o.close())
}

// save writes both files, the engine's first: the shared state must not name anything that the
// engine's file does not know.
func (s *ManualCommitStrategy) save(ctx context.Context, o *open) error {
	if err := s.store.SaveSide(o.id, sideName, &o.side); err != nil {
		return err
	}
	return s.store.Save(ctx, o.state)
}

func (o *open) close() error { return o.lock.Release() }

// author returns the session's identity. It asks git once a session.
func (s *ManualCommitStrategy) author(ctx context.Context, o *open) git.Signature {
	if o.side.Author.Name == "" {
		sig := s.repo.Identity(ctx)
		o.side.Author = identity{sig.Name, sig.Email}
	}
	return git.Signature{Name: o.side.Author.Name, Email: o.side.Author.Email, When: s.Now()}
}

// mine reports whether a session belongs to this worktree. It compares git's ID of the worktree,
// which stays the same when the worktree moves, or the path if an older tool wrote no ID.
func (s *ManualCommitStrategy) mine(path, worktreeID string) bool {
	if path = textPath(path); path == s.repo.Top {
		return true
	}
	if worktreeID != "" || s.repo.WorktreeID != "" {
		return worktreeID == s.repo.WorktreeID
	}
	return path != "" && !exists(path) // the main worktree, under the path it had before it moved
}
