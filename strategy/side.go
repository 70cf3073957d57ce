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

// sideName is our own state beside the session's state file: other tools drop
// fields they do not know when they save that one.
const sideName = "engine.json"

// side is what the engine keeps of a session beyond the shared state file.
type side struct {
	Version int `json:"version"` // 1

	// Author is the identity steps are made with, found once a session.
	Author identity `json:"author,omitzero"`

	// Turn is where the worktree stood when the turn began.
	Turn turnMark `json:"turn,omitzero"`

	// Turns is the number of the turn under way, or of the last one, from 1. It
	// goes on over commits and rewinds: a number names one turn for ever.
	Turns int `json:"turns,omitempty"`

	// CommittedTurns is Turns as it was at the last checkpoint.
	CommittedTurns int `json:"committed_turns,omitempty"`

	// Asked are the prompts of the latest turns.
	Asked []askedTurn `json:"asked,omitempty"`

	// Prompt is the turn's prompt as the agent's hook gave it, redacted.
	Prompt string `json:"prompt,omitempty"`

	// Capture is how far the transcript has been stored.
	Capture capture `json:"capture,omitzero"`

	// Cut is what the last rewind cut off the transcript, until the agent is seen to
	// go on with it or without.
	Cut *talkCut `json:"cut,omitempty"`

	// Backlog says that refs/entire/backlog/<session> holds chunks that nothing
	// else reaches yet.
	Backlog bool `json:"backlog,omitempty"`

	// Chunks is how many transcript chunks the last step held.
	Chunks int `json:"chunks,omitempty"`

	// Condensed is where the conversation stood at the last checkpoint.
	Condensed agent.Mark `json:"condensed,omitzero"`

	// Tip is the last step that was made for this session.
	Tip git.OID `json:"tip,omitzero"`

	// Agents are the subagents whose tokens were counted, and CondensedAgents
	// what they had used at the last checkpoint.
	Agents          map[string]seenAgent `json:"agents,omitempty"`
	CondensedAgents agent.TokenUsage     `json:"condensed_agents,omitzero"`

	// Quiet is the tree below refs/entire/tasks/<session>, zero for none.
	Quiet git.OID `json:"quiet,omitzero"`

	// Tasks are the subagents that have begun and not ended.
	Tasks map[string]*taskMark `json:"tasks,omitempty"`

	// Unlinked are the latest commits that took work of the session's without
	// a trailer.
	Unlinked []unlinkedCommit `json:"unlinked,omitempty"`

	// Borrowed are the session's lines that are in commits without a trailer, though
	// not its files, and those that no step shows: the latest ones.
	Borrowed attribution.Prints `json:"borrowed,omitempty"`

	// Reflog is how long HEAD's reflog was at the session's last event, in bytes.
	Reflog int64 `json:"reflog,omitempty"`

	// Claim is what the last step added to the shared state's list of files,
	// which is written after this file.
	Claim claim `json:"claim,omitzero"`

	// Auto is what auto-commit knows of the work it has not committed yet.
	Auto autoState `json:"auto,omitzero"`

	// Late are files that were not read in time, oldest first, and TalkLate says so of
	// the end of the transcript.
	Late     []lateFiles `json:"late,omitempty"`
	TalkLate bool        `json:"talk_late,omitempty"`

	// NotCaptured is what the last step had to leave out.
	NotCaptured []KeptFile `json:"not_captured,omitempty"`
}

type identity struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// turnMark names a state of the worktree: HEAD, the step it equals (zero: HEAD
// itself), and the digest of what differs.
type turnMark struct {
	Head   git.OID    `json:"head,omitzero"`
	Step   git.OID    `json:"step,omitzero"`
	Digest string     `json:"digest,omitempty"`
	Talk   agent.Mark `json:"talk,omitzero"` // where the conversation stood
	Seen   bool       `json:"seen,omitempty"`

	// Said is how many bytes the transcript had when the turn began, where not all
	// of them had been read; once they are, Lines is how many lines they were. What
	// an earlier turn did that changed nothing is among them.
	Said  int64 `json:"said,omitempty"`
	Lines int   `json:"lines,omitempty"`

	// Began is the commit that the worktree was as when the turn began, where HEAD
	// has gone another way since and a commit has moved the mark.
	Began git.OID `json:"began,omitzero"`

	// Partial says that a subagent's step has moved the mark: the turn's own
	// step is still to be made. Own says that it is made already: the turn goes on.
	Partial bool `json:"partial,omitempty"`
	Own     bool `json:"own,omitempty"`

	// Told says that its end was told, and that subagents work on in the background.
	Told bool `json:"told,omitempty"`
}

// talk is where what the agent does in the turn begins in what was read of the
// transcript.
func (m turnMark) talk() agent.Mark {
	at := m.Talk
	at.Lines = max(at.Lines, m.Lines)
	return at
}

// reached notes how many lines and prompts were there when the turn began, as soon as
// what is read of the transcript has come that far.
func (m *turnMark) reached(offset int64, talk *agent.Conversation, asking string) {
	if m != nil && m.Said > 0 && offset >= m.Said {
		m.Said, m.Lines, m.Talk = 0, talk.Lines, talk.AskedAt(m.Talk, asking)
	}
}

// readAll notes that all that can be read was: what of the beginning is still to be
// found comes after it.
func (m *turnMark) readAll(offset int64, talk *agent.Conversation, asking string) {
	if m != nil && m.Said > 0 {
		m.Lines = talk.Lines
	}
	m.reached(offset, talk, asking)
}

// began names what stood when the turn began: the step, or HEAD.
func (m turnMark) began() git.OID {
	switch {
	case !m.Began.IsZero():
		return m.Began
	case m.Step.IsZero():
		return m.Head
	}
	return m.Step
}

// on is what Began becomes where a commit was made in the turn: on another commit
// than the turn began on, the worktree may have files that stood there then, and
// that are in nothing that is carried forward.
func (m turnMark) on(cm madeCommit) (began git.OID) {
	if m.Began.IsZero() && m.Head == cm.parent {
		return git.OID{}
	}
	return m.began()
}

// claim is the files that a step found to be the session's, with what tells
// whether the shared state of that moment was ever written.
type claim struct {
	Turn  string   `json:"turn"`
	Base  string   `json:"base"`
	Files []string `json:"files"`
}

// restoreClaim makes up for a process that was killed between the two writes of
// a turn's end: the step is there, and the state does not know of it.
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

// stepsSince counts the session's steps since its last checkpoint.
func (o *open) stepsSince() int { return o.state.CheckpointCount - o.side.Auto.Counted }

// open is a session under its lock.
type open struct {
	id    id.SessionID
	state *session.State
	side  side
	isNew bool
	lock  *durable.Lock

	why         string // the step in mid-turn is made, "" for the one at its end
	noTime      bool   // for the transcript, in this event
	interrupted bool   // the turn being finished ended without telling
	next        string // prompt of the turn that is about to begin: the transcript may have it already

	heard map[string]int64 // of subagents' transcripts that were read now: how much was before

	packed   *packedTalk // once a checkpoint was made
	repacked bool        // and it is not written down yet
}

// openSession locks a session and reads its state. A session never seen has a
// fresh state, not yet saved.
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
		// Everything in it can be found again: the transcript is read anew.
		s.Log.Warn("engine state unreadable, starting over", "session_id", o.id.String(), "err", err)
		o.side = side{}
	}
	o.side.Version = 1
	o.restoreClaim()
	return nil
}

// inSession does something with a session under its lock and saves it when that
// went well.
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

// save writes both files: ours first, so that the shared one never speaks of
// something ours does not know.
func (s *ManualCommitStrategy) save(ctx context.Context, o *open) error {
	if err := s.store.SaveSide(o.id, sideName, &o.side); err != nil {
		return err
	}
	return s.store.Save(ctx, o.state)
}

func (o *open) close() error { return o.lock.Release() }

// author is the session's identity, asked of git once.
func (s *ManualCommitStrategy) author(ctx context.Context, o *open) git.Signature {
	if o.side.Author.Name == "" {
		sig := s.repo.Identity(ctx)
		o.side.Author = identity{sig.Name, sig.Email}
	}
	return git.Signature{Name: o.side.Author.Name, Email: o.side.Author.Email, When: s.Now()}
}

// mine reports whether a session belongs to this worktree: by git's own name
// for it, which survives a move, and by its path where an older tool wrote none.
func (s *ManualCommitStrategy) mine(path, worktreeID string) bool {
	if path = textPath(path); path == s.repo.Top {
		return true
	}
	if worktreeID != "" || s.repo.WorktreeID != "" {
		return worktreeID == s.repo.WorktreeID
	}
	return path != "" && !exists(path) // the main worktree, before it was moved
}
