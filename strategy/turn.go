package strategy

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/internal/redact"
	"entire/session"
)

// firstPromptRunes is how much of a session's first prompt its state shows.
const firstPromptRunes = 100

// untrackedMax bounds the list of untracked files in a new session's state.
const untrackedMax = 1000

// sessionStart answers the agent with what the user should know.
func (s *ManualCommitStrategy) sessionStart(ctx context.Context, ev agent.Event) (Response, error) {
	others := 0
	sums, err := s.store.Summaries(ctx)
	if err != nil {
		return Response{}, err
	}
	known := false
	for _, sum := range sums {
		if sum.ID == ev.SessionID {
			known = true
		} else if s.mine(sum.WorktreePath, sum.WorktreeID) && sum.CheckpointCount > 0 && sum.Phase != session.PhaseEnded {
			others++
		}
	}
	resp := Response{Output: agent.StartMessage(others)}
	if !known {
		return resp, nil
	}
	o, err := s.openSession(ctx, ev.SessionID)
	if err != nil {
		return resp, err
	}
	defer o.close()
	s.transition(o, session.SessionStart)
	return resp, s.save(ctx, o)
}

// turnStart records where the worktree stands before the agent acts. What
// differs from the last step is a person's work and becomes a step of theirs.
func (s *ManualCommitStrategy) turnStart(ctx context.Context, ev agent.Event) error {
	o, err := s.openSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.close()
	snap, err := s.now(ctx)
	if err != nil {
		return err
	}
	if err := s.begin(ctx, o, ev, snap); err != nil {
		return err
	}
	if o.state.Phase == session.PhaseActive && o.side.Turn.Seen {
		// Esc and Ctrl-C end a turn without telling anybody.
		if err := s.finishTurn(ctx, o, snap); err != nil {
			return fmt.Errorf("close the interrupted turn: %w", err)
		}
	}
	if err := s.followHead(ctx, o, snap); err != nil {
		return err
	}
	step, err := s.humanStep(ctx, o, snap)
	if err != nil {
		return err
	}
	o.side.Turn = turnMark{Head: snap.head, Step: step, Digest: snap.files.digest(), Seen: true}
	if o.side.Capture.Talk != nil {
		o.side.Turn.Talk = o.side.Capture.Talk.Mark()
	}
	o.side.Prompt = redact.Text(ev.Prompt)
	turn, err := id.Generate()
	if err != nil {
		return err
	}
	o.state.TurnID = turn.String()
	o.state.LastCheckpointID, o.state.TurnCheckpointIDs = id.CheckpointID{}, nil
	s.transition(o, session.TurnStart)
	return s.save(ctx, o)
}

// now takes a snapshot of the worktree.
func (s *ManualCommitStrategy) now(ctx context.Context) (*snapshot, error) {
	st, err := s.repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	return s.takeSnapshot(ctx, st)
}

// begin fills in what the event tells about the session, and makes a new one's
// state.
func (s *ManualCommitStrategy) begin(ctx context.Context, o *open, ev agent.Event, snap *snapshot) error {
	st := o.state
	if err := s.claim(o); err != nil {
		return err
	}
	if st.AgentType == "" || st.AgentType == agent.AgentTypeUnknown {
		st.AgentType = ev.AgentType
	}
	if ev.TranscriptPath != "" {
		st.TranscriptPath = ev.TranscriptPath
	}
	if st.FirstPrompt == "" && ev.Prompt != "" {
		st.FirstPrompt = agent.ShortPrompt(redact.Text(agent.CleanPrompt(ev.Prompt)), firstPromptRunes)
	}
	s.author(ctx, o)
	if !o.isNew {
		return nil
	}
	o.isNew = false
	st.CLIVersion = s.Version
	st.BaseCommit, st.AttributionBaseCommit = snap.head.String(), snap.head.String()
	st.StartedAt = s.Now()
	for _, f := range snap.files {
		if len(st.UntrackedFilesAtStart) < untrackedMax && f.mode != 0 {
			st.UntrackedFilesAtStart = append(st.UntrackedFilesAtStart, pathText(f.path))
		}
	}
	return nil
}

// SessionIDConflictError is returned when a session that has unfinished work in
// one worktree reports from another.
type SessionIDConflictError struct {
	SessionID    string
	WorktreePath string // where its work is
}

func (e *SessionIDConflictError) Error() string {
	return fmt.Sprintf("session %s has uncommitted work in %s", e.SessionID, e.WorktreePath)
}

// claim makes the session this worktree's, unless it has work in another.
func (s *ManualCommitStrategy) claim(o *open) error {
	st := o.state
	if st.WorktreePath != "" && !s.mine(st.WorktreePath, st.WorktreeID) {
		if len(st.FilesTouched) > 0 {
			return &SessionIDConflictError{o.id.String(), st.WorktreePath}
		}
		st.BaseCommit, st.AttributionBaseCommit, st.CheckpointCount = "", "", 0
		o.side.Turn = turnMark{}
	}
	st.WorktreePath, st.WorktreeID = s.repo.Top, s.repo.WorktreeID
	return nil
}

func (s *ManualCommitStrategy) transition(o *open, ev session.EventKind) {
	r := session.Transition(o.state.Phase, ev, session.TransitionContext{HasFilesTouched: len(o.state.FilesTouched) > 0})
	o.state.Phase = r.NewPhase
	for _, a := range r.Actions {
		switch a {
		case session.ActionClearEndedAt:
			o.state.EndedAt = nil
		case session.ActionUpdateLastInteraction:
			now := s.Now()
			o.state.LastInteractionTime = &now
		}
	}
}

// humanStep saves what differs from the last step and returns the step that
// the worktree equals now: zero when that is HEAD itself.
func (s *ManualCommitStrategy) humanStep(ctx context.Context, o *open, snap *snapshot) (git.OID, error) {
	c, ref := s.loadCache(), s.shadowRef(snap.head)
	if c.ref == ref && c.head == snap.head && !c.tip.IsZero() && c.files.equal(snap.files) {
		return c.tip, nil
	}
	if len(snap.files) == 0 && c.tip.IsZero() {
		return git.OID{}, nil
	}
	_, exists, err := s.repo.Reader(ctx).CommitOf(ref)
	if err != nil {
		return git.OID{}, err
	}
	if !exists && len(snap.files) == 0 {
		s.saveCache(snap.cacheOf("", git.OID{}))
		return git.OID{}, nil
	}
	kind := checkpoint.StepHuman
	if s.othersAtWork(ctx, o.id) {
		kind = checkpoint.StepMixed
	}
	w, err := s.writeStep(ctx, newStep{
		step:   checkpoint.Step{Kind: kind, Subject: "changes before the turn", Session: o.id, Base: snap.head},
		author: s.author(ctx, o), base: snap.head, snap: snap,
	})
	if err != nil {
		return git.OID{}, err
	}
	if w.skipped {
		s.saveCache(snap.cacheOf(ref, w.commit))
	}
	return w.commit, nil
}

// othersAtWork reports whether another session of this worktree is in
// mid-turn. When that cannot be told, nobody is accused.
func (s *ManualCommitStrategy) othersAtWork(ctx context.Context, self id.SessionID) bool {
	sums, err := s.store.Summaries(ctx)
	if err != nil {
		return false
	}
	for _, sum := range sums {
		if sum.ID != self && sum.Phase == session.PhaseActive && s.mine(sum.WorktreePath, sum.WorktreeID) {
			return true
		}
	}
	return false
}

// turnEnd saves the agent's work as a step.
func (s *ManualCommitStrategy) turnEnd(ctx context.Context, ev agent.Event) error {
	o, err := s.openSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.close()
	snap, err := s.now(ctx)
	if err != nil {
		return err
	}
	if err := s.begin(ctx, o, ev, snap); err != nil {
		return err
	}
	if err := s.finishTurn(ctx, o, snap); err != nil {
		return err
	}
	s.transition(o, session.TurnEnd)
	return s.save(ctx, o)
}

// sessionEnd closes an open turn and the session.
func (s *ManualCommitStrategy) sessionEnd(ctx context.Context, ev agent.Event) error {
	if _, err := s.store.Load(ctx, ev.SessionID); errors.Is(err, session.ErrNotFound) {
		return nil // nothing was ever asked of it
	}
	o, err := s.openSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.close()
	if o.state.Phase == session.PhaseActive && o.side.Turn.Seen && s.mine(o.state.WorktreePath, o.state.WorktreeID) {
		snap, err := s.now(ctx)
		if err != nil {
			return err
		}
		if err := s.finishTurn(ctx, o, snap); err != nil {
			return err
		}
	}
	s.transition(o, session.SessionStop)
	now := s.Now()
	o.state.EndedAt = &now
	return s.save(ctx, o)
}

// finishTurn makes the agent's step if anything changed since the turn began,
// and completes the checkpoints that were made in its middle.
func (s *ManualCommitStrategy) finishTurn(ctx context.Context, o *open, snap *snapshot) error {
	o.side.NotCaptured = snap.skipped
	if err := s.followHead(ctx, o, snap); err != nil {
		return err
	}
	turn := o.side.Turn
	if turn.Seen && turn.Head == snap.head && turn.Digest == snap.files.digest() {
		return s.finalise(ctx, o)
	}
	if err := s.agentStep(ctx, o, snap); err != nil {
		return err
	}
	return s.finalise(ctx, o)
}

// readTranscript brings the session's stored transcript up to date.
func (s *ManualCommitStrategy) readTranscript(ctx context.Context, o *open) error {
	return s.advance(ctx, &o.side.Capture, o.state.AgentType, o.state.TranscriptPath, s.keepBacklog(ctx, o))
}

func (s *ManualCommitStrategy) agentStep(ctx context.Context, o *open, snap *snapshot) error {
	before, err := s.markedTree(ctx, o.side.Turn, snap.head)
	if err != nil {
		return err
	}
	if err := s.readTranscript(ctx, o); err != nil {
		return err
	}
	prompts := s.turnPrompts(o)
	subject := checkpoint.StepSubject(lastOf(prompts))
	overlay, err := s.sessionOverlay(o, prompts, subject)
	if err != nil {
		return err
	}
	also, err := s.backlogDone(ctx, o)
	if err != nil {
		return err
	}
	w, err := s.writeStep(ctx, newStep{
		step: checkpoint.Step{Kind: checkpoint.StepAgent, Subject: subject, Session: o.id, Base: snap.head,
			Transcript: o.side.Capture.position()},
		author: s.author(ctx, o), base: snap.head, snap: snap, overlay: overlay, also: also,
	})
	if err != nil {
		return err
	}
	o.side.Backlog = false
	changed, err := s.repo.DiffTrees(ctx, before, w.tree)
	if err != nil {
		return err
	}
	s.stepMade(ctx, o, snap, w, codeChanges(changed))
	return nil
}

// stepMade brings the state up to date with a step that is now on the branch.
func (s *ManualCommitStrategy) stepMade(ctx context.Context, o *open, snap *snapshot, w writtenStep, changed []git.Change) {
	o.side.Tip = w.commit
	claimed := s.claims(ctx, o, snap, changed)
	o.state.FilesTouched = union(o.state.FilesTouched, pathTexts(claimed))
	if !w.skipped {
		o.state.CheckpointCount++
	}
	t := o.side.Capture.Talk
	if t != nil {
		usage := t.Usage()
		o.state.TokenUsage = &usage
		if o.state.CheckpointCount == 1 {
			o.state.TranscriptIdentifierAtStart = t.LastUUID
		}
	}
	o.side.Turn = turnMark{Head: snap.head, Step: w.commit, Digest: snap.files.digest(), Talk: o.side.Turn.Talk, Seen: o.side.Turn.Seen}
	s.Log.Info("checkpoint saved", "session_id", o.id.String(), "step", w.commit.Short(), "files", len(claimed), "skipped", w.skipped)
}

// markedTree is the tree of the worktree as a mark saw it.
func (s *ManualCommitStrategy) markedTree(ctx context.Context, m turnMark, head git.OID) (git.OID, error) {
	if !m.Step.IsZero() {
		if c, ok, err := s.repo.Reader(ctx).CommitOf(m.Step.String()); err != nil || ok {
			return c.Tree, err
		}
	}
	if m.Seen {
		head = m.Head
	}
	return s.headTree(ctx, head)
}

// turnPrompts are the prompts of the turn, from the transcript or, where it
// does not have them yet, from the hook.
func (s *ManualCommitStrategy) turnPrompts(o *open) []string {
	if t := o.side.Capture.Talk; t != nil {
		if p := t.PromptsSince(o.side.Turn.Talk); len(p) > 0 {
			return p
		}
	}
	if p := agent.CleanPrompt(o.side.Prompt); p != "" {
		return []string{p}
	}
	return nil
}

func lastOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// claims are the changed paths that are this session's: all of them when it
// worked alone; beside others in mid-turn, those its own transcript names, and
// what nobody else has claimed if a shell of its may have made it.
func (s *ManualCommitStrategy) claims(ctx context.Context, o *open, snap *snapshot, changed []git.Change) []string {
	var all []string
	for _, c := range changed {
		// After HEAD moved under the turn, what is as in HEAD came with it.
		if _, dirty := snap.files.find(c.Path); dirty || o.side.Turn.Head == snap.head {
			all = append(all, c.Path)
		}
	}
	if !s.othersAtWork(ctx, o.id) || o.side.Capture.Talk == nil {
		return all
	}
	own := setOf(s.ownEdits(o))
	if len(own) == 0 {
		return all
	}
	theirs := s.othersFiles(ctx, o.id)
	var out []string
	for _, p := range all {
		if own[p] || !theirs[p] {
			out = append(out, p)
		}
	}
	return out
}

// ownEdits are the paths, relative to the top, that the agent's edit tools
// named in this turn.
func (s *ManualCommitStrategy) ownEdits(o *open) []string {
	var out []string
	for _, p := range o.side.Capture.Talk.EditsSince(o.side.Turn.Talk) {
		if rel, ok := s.relative(p); ok {
			out = append(out, rel)
		}
	}
	return out
}

// relative turns a path of a transcript into one of ours.
func (s *ManualCommitStrategy) relative(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.repo.Top, path)
	}
	rel, err := filepath.Rel(s.repo.Top, path)
	if err != nil || !filepath.IsLocal(rel) {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			rel, err = filepath.Rel(s.repo.Top, filepath.Join(dir, filepath.Base(path)))
			if err == nil && filepath.IsLocal(rel) {
				return filepath.ToSlash(rel), true
			}
		}
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// othersFiles are the paths that other sessions of this worktree have claimed.
func (s *ManualCommitStrategy) othersFiles(ctx context.Context, self id.SessionID) map[string]bool {
	out := map[string]bool{}
	sums, err := s.store.Summaries(ctx)
	if err != nil {
		return out
	}
	for _, sum := range sums {
		if sum.ID == self || sum.FilesTouched == 0 || !s.mine(sum.WorktreePath, sum.WorktreeID) {
			continue
		}
		if st, err := s.store.Load(ctx, sum.ID); err == nil {
			for _, p := range textPaths(st.FilesTouched) {
				out[p] = true
			}
		}
	}
	return out
}
