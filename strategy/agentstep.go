package strategy

import (
	"context"
	"errors"
	"slices"

	"entire/agent"
	"entire/checkpoint"
	"entire/internal/git"
)

// readTranscript brings the session's stored transcript up to date. It returns errNoTime when
// reading took too long, and again for the rest of the event.
func (s *ManualCommitStrategy) readTranscript(ctx context.Context, o *open) error {
	if o.noTime {
		return errNoTime
	}
	s.mendTalk(o)
	o.side.Capture.turn, o.side.Capture.asking = &o.side.Turn, agent.CleanPrompt(o.side.Prompt)
	reading, cancel := s.inTime(ctx, s.ReadWithin/2)
	defer cancel()
	err := s.advance(ctx, reading, &o.side.Capture, o.state.AgentType, o.state.TranscriptPath, s.keepBacklog(ctx, o))
	o.beginWithPrompt()
	o.numberCalls()
	o.noTime = errors.Is(err, errNoTime)
	o.side.TalkLate = o.noTime
	return err
}

// beginWithPrompt moves the start of the turn to its prompt, for an agent that rewrites its whole
// transcript each time. What stands before the prompt belongs to earlier turns, even if the file
// lacked it when the turn began.
func (o *open) beginWithPrompt() {
	c := &o.side.Capture
	if c.Doc == "" || c.Talk == nil || o.side.Prompt == "" {
		return
	}
	if n, ok := c.Talk.ItemOfPrompt(o.side.Turn.Talk, agent.CleanPrompt(o.side.Prompt)); ok {
		o.side.Turn.Lines, o.side.Turn.Talk.Items = max(o.side.Turn.Lines, n), max(o.side.Turn.Talk.Items, n)
	}
}

// readWhatIsThere is readTranscript for a step: a transcript that cannot be read does not stop
// the step. The state then lists the transcript as not captured, and `entire status` shows it.
func (s *ManualCommitStrategy) readWhatIsThere(ctx context.Context, o *open) error {
	err := s.readTranscript(ctx, o)
	if !errors.Is(err, errTranscript) {
		return err
	}
	if o.side.TalkLate {
		return nil
	}
	s.Log.Warn("step without the end of its transcript", "session_id", o.id.String(), "err", err)
	o.side.NotCaptured = append(o.side.NotCaptured, KeptFile{o.state.TranscriptPath, err.Error()})
	return nil
}

// agentStep writes a step with the files as the agent left them, and updates the session's state.
func (s *ManualCommitStrategy) agentStep(ctx context.Context, o *open, snap *snapshot) error {
	before, err := s.markedTree(ctx, o.side.Turn, snap.head)
	if err != nil {
		return err
	}
	if err := s.readWhatIsThere(ctx, o); err != nil {
		return err
	}
	prompts := s.turnPrompts(o)
	subject := checkpoint.StepSubject(lastOf(prompts), o.state.AgentType)
	if o.why != "" {
		subject = checkpoint.StepSubject(o.why+": "+lastOf(prompts), o.state.AgentType)
	}
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
			Transcript: o.side.Capture.position(), Since: o.side.Turn.began(),
			StepContext: o.moment(o.turnWhy())},
		author: s.author(ctx, o), base: snap.head, snap: snap, overlay: overlay, also: also,
	})
	if err != nil {
		return err
	}
	o.side.Backlog = o.side.Backlog && w.skipped // the tip holds its chunks, but its ref is still there
	changed, err := s.codeDiff(ctx, before, w.tree)
	if err != nil {
		return err
	}
	s.stepMade(ctx, o, snap, w, changed)
	return nil
}

// madeSince drops the changes whose files were the same when the turn began, on another commit.
func (s *ManualCommitStrategy) madeSince(ctx context.Context, m turnMark, changed []git.Change) []git.Change {
	if m.Began.IsZero() {
		return changed
	}
	ev := s.evidence(ctx)
	tree := ev.treeOf(m.Began)
	return slices.DeleteFunc(changed, func(c git.Change) bool {
		was, ok := ev.at(tree, c.Path)
		return ok && was.mode == c.NewMode && was.oid == c.New
	})
}

// stepMade updates the session's state after a step was written to the shadow branch.
func (s *ManualCommitStrategy) stepMade(ctx context.Context, o *open, snap *snapshot, w writtenStep, changed []git.Change) {
	o.side.Tip = w.commit
	subagents := s.subagentTotal(o) // before the claims: subagents wrote files, too
	claimed := s.claims(ctx, o, snap, w, s.madeSince(ctx, o.side.Turn, changed))
	s.rememberBefore(o, changed, claimed)
	o.state.TouchFiles(pathTexts(claimed)...)
	s.dropReverted(ctx, o, snap)
	if err := s.noteHidden(ctx, o, snap.head); err != nil {
		s.Log.Warn("calls whose work is nowhere were not looked at", "session_id", o.id.String(), "err", err)
	}
	o.side.Claim = claim{o.state.TurnID, o.state.BaseCommit, pathTexts(claimed)}
	if !w.skipped {
		o.state.CheckpointCount++
	}
	t := o.side.Capture.Talk
	if t != nil {
		usage := withSubagents(t.Usage(), subagents)
		o.state.TokenUsage = &usage
		if o.state.CheckpointCount == 1 {
			o.state.TranscriptIdentifierAtStart = t.LastUUID
		}
	}
	o.side.Turn = turnMark{Head: snap.head, Step: w.commit, Digest: snap.files.digest(), Talk: o.side.Turn.Talk, Seen: true, Said: o.side.Turn.Said, Lines: o.side.Turn.Lines, Own: o.side.Turn.Own, Told: o.side.Turn.Told}
	if w.skipped {
		s.Log.Debug("checkpoint skipped (no changes)", "session_id", o.id.String(), "step", w.commit.Short())
		return
	}
	s.Log.Info("checkpoint saved", "session_id", o.id.String(), "step", w.commit.Short(), "files", len(claimed))
}

// markedTree returns the tree of the worktree at the moment that the turn's start names.
func (s *ManualCommitStrategy) markedTree(ctx context.Context, m turnMark, head git.OID) (git.OID, error) {
	if !m.Step.IsZero() {
		if c, ok, err := s.repo.Reader(ctx).CommitOf(m.Step.String()); err != nil || ok {
			return c.Tree, err
		}
	}
	if m.Seen {
		head = m.Head
	} else if tip, ok, err := s.repo.Reader(ctx).CommitOf(s.shadowRef(head)); err != nil || ok {
		return tip.Tree, err // no event told when the turn began: the last step came before it
	}
	return s.headTree(ctx, head)
}

// turnPrompts returns the prompts of the turn, from the transcript or, where the transcript lacks
// them, from the hook. The prompt of the next turn, which the transcript may hold already, is
// left out.
func (s *ManualCommitStrategy) turnPrompts(o *open) []string {
	if t := o.side.Capture.Talk; t != nil {
		p := t.PromptsSince(o.side.Turn.Talk)
		if len(p) > 0 && lastOf(p) == agent.CleanPrompt(o.next) {
			p = p[:len(p)-1]
		}
		if len(p) > 0 {
			return p
		}
	}
	if p := agent.CleanPrompt(o.side.Prompt); p != "" {
		return []string{p}
	}
	return nil
}

// lastOf returns the last string of a list, "" for an empty list.
func lastOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}
